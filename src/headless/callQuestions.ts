/**
 * Passes the agent's questions to the driving program or to an MCP tool: the only place where these decide about calls.
 * They can give only the answers that a user could give in the dialog; any other answer denies the call.
 */
import * as z from 'zod';
import type { McpPort } from '../protocol/extensions/mcp.ts';
import type { ChoiceField, FieldAnswer, Form } from '../protocol/forms.ts';
import type {
  CallQuestion,
  PermissionAnswer,
  PermissionQuestion,
  RuleSuggestion,
} from '../protocol/permissions.ts';
import { permissionUpdateOf } from '../protocol/permissions.ts';
import { failedQuestion, refusalOf } from './denials.ts';
import type { DriverAnswer, DriverLink } from './driver/driverLink.ts';

/** Asks about a call that needs approval; an abort withdraws the question. */
export type AskAboutCall = (question: CallQuestion, signal: AbortSignal) => Promise<DriverAnswer>;

interface CallQuestionPorts {
  readonly ask: AskAboutCall;
  readonly answer: (id: string, answer: PermissionAnswer) => void;
  /** Reports a part of an answer that has no effect. */
  readonly warn: (text: string) => void;
}

interface CallQuestions {
  /** Asks, and passes the answer on. */
  put(question: PermissionQuestion): void;
  /** Withdraws a question for which the agent no longer waits. */
  answered(id: string): void;
}

export function createCallQuestions({ ask, answer, warn }: CallQuestionPorts): CallQuestions {
  const open = new Map<string, AbortController>();
  return {
    put(question) {
      // Whether a turn may continue, and forms of MCP servers: the protocol has no request for them.
      const isCall = question.tool !== undefined && question.headline === undefined;
      if (!isCall) return answer(question.id, refusalOf(question));
      const asked = new AbortController();
      open.set(question.id, asked);
      void ask(question, asked.signal).then((given) => {
        if (!open.delete(question.id)) return;
        const { answer: read, notice } = readAnswer(given, question);
        if (notice !== undefined) warn(notice);
        answer(question.id, read);
      });
    },
    answered(id) {
      const asked = open.get(id);
      open.delete(id);
      asked?.abort();
    },
  };
}

/** Asks the driving program, with a `can_use_tool` request. */
export function askDriver({ ask }: Pick<DriverLink, 'ask'>): AskAboutCall {
  return (question, signal) => ask(requestOf(question), signal);
}

/** Milliseconds; a tool that asks a person may take as long as that person. */
const TOOL_MS = 24 * 60 * 60 * 1000;

/** Asks the tool of an MCP server; `settled` resolves when the servers have connected. Warns if there is no such tool. */
export function askTool(
  name: string,
  mcp: () => Pick<McpPort, 'status' | 'callTool'> | undefined,
  settled: (signal: AbortSignal) => Promise<void>,
): AskAboutCall {
  return async ({ tool: tool_name, input, callId: tool_use_id }, signal) => {
    await settled(signal);
    const port = mcp();
    const found = port?.status().flatMap(({ name: server, tools }) => {
      const tool = tools.find((one) => one.name === name);
      return tool === undefined ? [] : [{ server, tool: tool.ownName }];
    })[0];
    if (port === undefined || found === undefined)
      return { ok: false, error: `there is no tool ${name} that could decide about calls.` };
    const reply = await port.callTool(
      { ...found, input: { tool_name, input, tool_use_id }, timeoutMs: TOOL_MS },
      signal,
    );
    if (!reply.ok) return { ok: false, error: reply.problem };
    try {
      return { ok: true, value: JSON.parse(reply.text) };
    } catch {
      return { ok: false, error: `${name} did not answer with JSON.` };
    }
  };
}

/** The `can_use_tool` request. */
function requestOf(question: CallQuestion): object {
  const { tool, input, callId, reason, title, preview, suggestion } = question;
  return {
    subtype: 'can_use_tool',
    tool_name: tool,
    input,
    tool_use_id: callId,
    decision_reason: reason,
    description: title,
    ...(suggestion === undefined ? {} : { permission_suggestions: [permissionUpdateOf(suggestion)] }),
    ...(preview.type === 'diff' ? { blocked_path: preview.realPath ?? preview.path } : {}),
    ...(preview.type === 'form' ? { requires_user_interaction: true } : {}),
    ...(question.from === undefined ? {} : { agent_id: question.from }),
  };
}

const allow = z.looseObject({
  behavior: z.literal('allow'),
  updatedInput: z.record(z.string(), z.unknown()).nullish(),
  updatedPermissions: z.array(z.unknown()).nullish(),
});
const deny = z.looseObject({
  behavior: z.literal('deny'),
  message: z.string().nullish(),
  interrupt: z.boolean().nullish(),
});
const verdict = z.discriminatedUnion('behavior', [allow, deny]);

interface ReadAnswer {
  readonly answer: PermissionAnswer;
  /** The part of the answer that has no effect, ready to show. */
  readonly notice?: string;
}

/** Characters of a message for the model. */
const MAX_COMMENT = 10_000;

function readAnswer(given: DriverAnswer, question: CallQuestion): ReadAnswer {
  if (!given.ok) {
    // Nothing can answer any more, as in any headless run.
    if ('isGone' in given) return { answer: refusalOf(question) };
    if (!('error' in given)) return { answer: { behavior: 'deny', comment: '' } };
    const why = given.error.slice(0, MAX_COMMENT);
    const notice = `${question.tool} was denied, because the question about it failed: ${why}`;
    return { answer: failedQuestion(question, why), notice };
  }
  const parsed = verdict.safeParse(given.value);
  if (!parsed.success) {
    const why = 'the answer is neither {"behavior": "allow"} nor {"behavior": "deny"}.';
    const notice = `${question.tool} was denied, because ${why}`;
    return { answer: failedQuestion(question, why), notice };
  }
  const { data } = parsed;
  if (data.behavior === 'deny') {
    const comment = data.message?.slice(0, MAX_COMMENT);
    const answer = { behavior: 'deny', ...(comment ? { comment } : {}) } as const;
    return { answer: data.interrupt === true ? { ...answer, interrupt: true } : answer };
  }
  const input = data.updatedInput ?? undefined;
  const { preview } = question;
  if (preview.type === 'form') return { answer: { behavior: 'allow', answers: answersIn(input, preview) } };
  const { saved, notice } = readUpdates(data.updatedPermissions ?? [], question.suggestion);
  return {
    answer: { behavior: 'allow', ...saved, ...(input === undefined ? {} : { updatedInput: input }) },
    ...(notice === undefined ? {} : { notice }),
  };
}

/** Reads the answers to the model's questions: by question, as AskUserQuestion of other agents has them. */
function answersIn(input: Readonly<Record<string, unknown>> | undefined, form: Form): readonly FieldAnswer[] {
  const given = z.record(z.string(), z.unknown()).safeParse(input?.answers);
  const byQuestion = given.success ? given.data : {};
  return form.fields.map((field) => {
    const value = byQuestion[field.question];
    const words = Array.isArray(value) ? value.filter((one) => typeof one === 'string') : value;
    if (typeof words === 'string') return inWords(words.slice(0, MAX_COMMENT), field);
    return Array.isArray(words) && field.type === 'choice' ? inLabels(words, field) : { chosen: [] };
  });
}

/** An answer as text: the label of an option, several separated by commas, or the user's own words. */
function inWords(words: string, field: Form['fields'][number]): FieldAnswer {
  if (words.trim() === '') return { chosen: [] };
  if (field.type === 'text') return { chosen: [], text: words };
  const whole = field.options.findIndex(({ label }) => label === words);
  if (whole >= 0) return { chosen: [whole] };
  const parts = field.isMultiple ? words.split(',').map((part) => part.trim()) : [];
  const isLabels =
    parts.length > 1 && parts.every((part) => field.options.some(({ label }) => label === part));
  return isLabels ? inLabels(parts, field) : { chosen: [], text: words };
}

function inLabels(labels: readonly string[], { options }: ChoiceField): FieldAnswer {
  const chosen = options.flatMap(({ label }, index) => (labels.includes(label) ? [index] : []));
  const own = labels.filter((label) => options.every((option) => option.label !== label)).join(', ');
  return { chosen, ...(own === '' ? {} : { text: own.slice(0, MAX_COMMENT) }) };
}

const rules = z.looseObject({
  type: z.literal('addRules'),
  behavior: z.literal('allow'),
  rules: z.array(z.looseObject({ toolName: z.string(), ruleContent: z.string().nullish() })).min(1),
  destination: z.enum(['localSettings', 'session']),
});
const mode = z.looseObject({
  type: z.literal('setMode'),
  mode: z.enum(['acceptEdits', 'default']),
  destination: z.literal('session'),
});

/**
 * Reads the rules that the answer saves: all or some of what the question offered, in the offered place or for the
 * session only. Nothing else, since the user could not choose it either.
 */
function readUpdates(
  updates: readonly unknown[],
  suggestion: RuleSuggestion | undefined,
): { saved: Partial<Extract<PermissionAnswer, { behavior: 'allow' }>>; notice?: string } {
  let saved: ReturnType<typeof savedBy>;
  let hasOther = false;
  for (const update of updates) {
    const one = suggestion && savedBy(update, suggestion);
    if (one === undefined || saved !== undefined) hasOther = true;
    else saved = one;
  }
  const notice =
    '"updatedPermissions" saves only what "permission_suggestions" offered, for the session or to the offered file.';
  return { saved: saved ?? {}, ...(hasOther ? { notice } : {}) };
}

function savedBy(
  update: unknown,
  suggestion: RuleSuggestion,
): Pick<Extract<PermissionAnswer, { behavior: 'allow' }>, 'remember' | 'remembered'> | undefined {
  if (suggestion.destination === 'mode')
    return mode.safeParse(update).data?.mode === (suggestion.mode ?? 'acceptEdits')
      ? { remember: true }
      : undefined;
  const parsed = rules.safeParse(update);
  if (!parsed.success) return undefined;
  const wanted = parsed.data.rules.map(({ toolName, ruleContent }) =>
    ruleContent == null ? toolName : `${toolName}(${ruleContent})`,
  );
  const destination = parsed.data.destination === 'session' ? 'session' : 'local';
  const isOffered = wanted.every((rule) => suggestion.rules.includes(rule));
  if (!isOffered || (destination === 'local' && suggestion.destination !== 'local')) return undefined;
  return { remember: true, remembered: { rules: wanted, destination } };
}
