import type { FastifyInstance } from "fastify";

import { ApiError } from "./api-error.ts";

/** Answers unknown paths with 404 and known paths under another method with 405. Register before the routes. */
export function answerUnknownRoutes(app: FastifyInstance): void {
  const methodsByPath = new Map<string, Set<string>>();
  app.addHook("onRoute", (route) => {
    const methods = methodsByPath.get(route.url) ?? new Set<string>();
    for (const method of [route.method].flat()) methods.add(method.toUpperCase());
    methodsByPath.set(route.url, methods);
  });
  app.setNotFoundHandler((request) => {
    const path = request.url.split("?", 1)[0] ?? "";
    const methods = methodsByPath.get(path);
    if (methods === undefined) {
      throw new ApiError(404, {
        code: "not_found",
        message: `There is no ${request.method} ${path.slice(0, 200)} here.`,
      });
    }
    const allow = [...methods].join(", ");
    throw new ApiError(405, {
      code: "method_not_allowed",
      message: `${path} does not take ${request.method}; it takes ${allow}.`,
      headers: { allow },
    });
  });
}
