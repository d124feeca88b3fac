import { RenderError } from "../error.ts";
import type { PyDict, PyValue } from "../python/value.ts";
import { dictOf } from "./python-dict.ts";
import type { ViewTemplate } from "./view.ts";

/** What llama.cpp finds out about a template by rendering it. */
export interface TemplateCapabilities {
  readonly stringContent: boolean;
  readonly typedContent: boolean;
  readonly systemRole: boolean;
  readonly toolCalls: boolean;
  /** Arguments of tool calls as objects; else as JSON text. */
  readonly objectArguments: boolean;
  /** What the template writes around the reasoning of an answer; null where it writes none. */
  readonly reasoning: { readonly start: string; readonly end: string } | null;
}

const MARK = "CAPABILITY_MARK";
const REASON = "REASONING_MARK";

const user = dictOf([
  ["role", "user"],
  ["content", "User message"],
]);

function assistant(...fields: (readonly [string, PyValue])[]): PyDict {
  return dictOf([["role", "assistant"], ["content", ""], ...fields]);
}

function toolCallMessages(args: PyValue): PyValue[] {
  const call = dictOf([
    ["id", "call00001"],
    ["type", "function"],
    [
      "function",
      dictOf([
        ["name", "tool1"],
        ["arguments", args],
      ]),
    ],
  ]);
  return [
    user,
    assistant(["tool_calls", [call]]),
    dictOf([
      ["role", "tool"],
      ["content", "Tool response"],
      ["tool_call_id", "call00001"],
    ]),
    dictOf([
      ["role", "assistant"],
      ["content", "The tool response was 'tool response'"],
    ]),
    user,
  ];
}

const tools: PyValue[] = [
  dictOf([
    ["name", "tool"],
    ["type", "function"],
    [
      "function",
      dictOf([
        ["name", "tool1"],
        ["description", "Tool description"],
        [
          "parameters",
          dictOf([
            ["type", "object"],
            [
              "properties",
              dictOf([
                [
                  "arg",
                  dictOf([
                    ["type", "string"],
                    ["description", "Arg description"],
                  ]),
                ],
              ]),
            ],
            ["required", ["arg"]],
          ]),
        ],
      ]),
    ],
  ]),
];

/** The output of a trial; null where the template refuses it. */
function attempt(
  template: ViewTemplate,
  messages: readonly PyValue[],
  more: readonly (readonly [string, PyValue])[] = [],
): string | null {
  try {
    return template.render(
      new Map<string, PyValue>([
        ["messages", messages],
        ["tools", []],
        ["bos_token", ""],
        ["eos_token", ""],
        ["add_generation_prompt", true],
        ...more,
      ]),
    ).text;
  } catch (error) {
    // A template that does not end in one trial would not in the next.
    if (error instanceof RenderError && !error.code.endsWith("_LIMIT")) {
      return null;
    }
    throw error;
  }
}

function reasoningMarks(template: ViewTemplate): TemplateCapabilities["reasoning"] {
  const answer = dictOf([
    ["role", "assistant"],
    ["content", MARK],
    ["reasoning_content", REASON],
  ]);
  const text = attempt(
    template,
    [user, answer],
    [
      ["add_generation_prompt", false],
      ["enable_thinking", true],
    ],
  );
  const reason = text?.indexOf(REASON) ?? -1;
  const content = text?.indexOf(MARK, reason) ?? -1;
  if (text === null || reason === -1 || content === -1) {
    return null;
  }
  // A tag before the reasoning is its start; what is farther away belongs to the turn.
  const [start = ""] = /(?:<[^<>\s]+>|\[[A-Z_]+\])\s*$/u.exec(text.slice(0, reason)) ?? [];
  return { start, end: text.slice(reason + REASON.length, content) };
}

/** Trial renders, in which a text that comes out again stands for what llama.cpp counts as used. */
export function capabilitiesOf(template: ViewTemplate): TemplateCapabilities {
  const typedContent = template.loopsOverContent("vllm");
  const plain = attempt(template, [
    dictOf([
      ["role", "user"],
      ["content", MARK],
    ]),
  ]);
  const system = attempt(template, [
    dictOf([
      ["role", "system"],
      ["content", MARK],
    ]),
    user,
  ]);
  const called = attempt(template, toolCallMessages(dictOf([["arg", MARK]])), [["tools", tools]]);
  const written = attempt(template, toolCallMessages(`{"arg": "${MARK}"}`), [["tools", tools]]);
  return {
    stringContent: plain !== null && (!typedContent || plain.includes(MARK)),
    typedContent,
    systemRole: system === null ? false : system.includes(MARK),
    toolCalls: called !== null || written !== null,
    // A dict that is printed as Python prints it was not meant to be an object.
    objectArguments: called !== null && called.includes(MARK) && !called.includes(`'arg': '${MARK}'`),
    reasoning: reasoningMarks(template),
  };
}
