import { randomInt, randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { Server } from "node:http";

import type { Engine } from "@onpar/engine-binding";
import { fastify, type FastifyInstance, type FastifyReply } from "fastify";

import { Admission } from "./admission/admission.ts";
import { chatPrompts } from "./chat-prompt.ts";
import { errorBody } from "./http/api-error.ts";
import { authenticator } from "./http/auth.ts";
import { answerBrokenHttp } from "./http/broken-http.ts";
import { createHttpServer } from "./http/http-server.ts";
import { useStrictJson } from "./http/json-body.ts";
import { normaliseError, shuttingDownError } from "./http/normalise-error.ts";
import { answerUnknownRoutes } from "./http/not-found.ts";
import { ServerMetrics, type MetricsSchema } from "./metrics/server-metrics.ts";
import { adminPaths, adminRoutes } from "./routes/admin-routes.ts";
import { generationRoutes } from "./routes/generation-routes.ts";
import { informationRoutes } from "./routes/information-routes.ts";
import { responsesRoutes } from "./routes/responses-routes.ts";
import { tokenizerRoutes } from "./routes/tokenizer-routes.ts";
import type { ServerContext } from "./server-context.ts";
import { defaultLimits, type ServerLimits } from "./server-limits.ts";
import { packageVersion } from "./version.ts";

/** What {@link createApp} serves, and how. */
export interface AppOptions {
  /** The engine to serve. The app does not dispose of it. */
  readonly engine: Engine;
  /** Name that clients ask for. Default: the model's own. */
  readonly servedModelName?: string;
  /** Keys of which a client must send one; none means that no key is needed. */
  readonly apiKeys?: readonly string[];
  /** Keys that the admin endpoints need; without any, they refuse everybody. */
  readonly adminKeys?: readonly string[];
  readonly limits?: Partial<ServerLimits>;
  /**
   * A server that listens already: from `app.ready()` on its requests are this app's and nobody else's. The caller closes it.
   * Default: one of the app's own, which `app.listen()` opens.
   */
  readonly server?: Server;
  /** Refuses fields that are not known instead of naming them in a header. Default: false. */
  readonly strict?: boolean;
  /** Renders templates that come with requests, within the budgets of chat-render. Default: false. */
  readonly requestTemplates?: boolean;
  /** Names on the metrics page. Default: `vllm`. */
  readonly metricsSchema?: MetricsSchema;
  /** Start of the server, for `created` and the metrics page. Default: now. */
  readonly startedAt?: Date;
  /** Ends every running request when it aborts; their clients are told that the server shuts down. */
  readonly stopSignal?: AbortSignal;
  /** Called with what clients may not see: the cause of an answer with a 5xx status. */
  readonly onServerError?: (error: Error) => void;
  /** Called with what the operator may want to know of a request; never holds what a client wrote but names of fields. */
  readonly onNote?: (note: string) => void;
}

function contextOf(options: AppOptions): ServerContext {
  const { engine } = options;
  const servedModelName = options.servedModelName ?? engine.info.model.name;
  const serverVersion = packageVersion();
  const startedAt = options.startedAt ?? new Date();
  const limits = { ...defaultLimits, ...options.limits };
  const admission = new Admission({ slots: engine.info.slots, maxWaiting: limits.maxWaiting });
  const schema = options.metricsSchema ?? "vllm";
  const requestTemplates = options.requestTemplates ?? false;
  const stopSignal = options.stopSignal ?? new AbortController().signal;
  // Every request under way listens to it, and as many may be.
  setMaxListeners(0, stopSignal);
  return {
    engine,
    servedModelName,
    serverVersion,
    startedAt,
    limits,
    admission,
    metrics: new ServerMetrics({ engine, admission, schema, servedModelName, serverVersion, startedAt }),
    chatPrompts: chatPrompts(engine.info, { requestTemplates, limits }),
    strict: options.strict ?? false,
    clientsHaveKeys: (options.apiKeys ?? []).length > 0,
    note: options.onNote ?? (() => {}),
    stopSignal,
    reportError: options.onServerError ?? (() => {}),
    randomSeed: () => randomInt(2 ** 31),
    randomId: () => randomUUID().replaceAll("-", ""),
    now: () => new Date(),
  };
}

/**
 * The server as a Fastify app that does not listen yet. `app.close()` stops accepting and lets running requests
 * finish; abort `stopSignal` to end those as well.
 */
export function createApp(options: AppOptions): FastifyInstance {
  const context = contextOf(options);
  let takeRequests = (): void => {};
  const app = fastify({
    bodyLimit: context.limits.maxBodyBytes,
    serverFactory(handler) {
      const { server } = options;
      if (server === undefined) return createHttpServer(context.limits).on("request", handler);
      takeRequests = () => void server.removeAllListeners("request").on("request", handler);
      return server;
    },
    // Refused here instead, in the shape that clients of this API read.
    return503OnClosing: false,
    // A URL that cannot be decoded has no route, and so no hook and no error handler.
    frameworkErrors: (error, _request, reply: FastifyReply) => {
      const apiError = normaliseError(error);
      void reply.code(apiError.statusCode).send(errorBody(apiError));
    },
    clientErrorHandler: answerBrokenHttp,
  });
  app.addHook("onReady", (done) => {
    takeRequests();
    done();
  });
  let closing = false;
  const authenticate = authenticator({
    apiKeys: options.apiKeys ?? [],
    adminKeys: options.adminKeys ?? [],
    adminPaths,
  });

  app.setErrorHandler((error, _request, reply) => {
    const apiError = normaliseError(error);
    if (apiError.statusCode >= 500 && apiError.cause instanceof Error) context.reportError(apiError.cause);
    // A connection that ends while its client still sends takes the answer with it. What comes is passed over instead, unread,
    // until the time for a request is up.
    if (apiError.statusCode === 413) void reply.removeHeader("connection");
    return reply.code(apiError.statusCode).headers(apiError.headers).send(errorBody(apiError));
  });
  app.addHook("preClose", (done) => {
    closing = true;
    done();
  });
  app.addHook("onRequest", (request, _reply, done) => {
    if (closing) throw shuttingDownError();
    authenticate(request);
    done();
  });
  // A connection that was in use when the server closed becomes idle here, and nothing else would end it.
  app.addHook("onResponse", (_request, _reply, done) => {
    if (closing) setImmediate(() => app.server.closeIdleConnections());
    done();
  });
  useStrictJson(app);
  answerUnknownRoutes(app);
  informationRoutes(app, context);
  tokenizerRoutes(app, context);
  generationRoutes(app, context);
  responsesRoutes(app, context);
  adminRoutes(app, context);
  return app;
}
