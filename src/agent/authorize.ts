/**
 * Decides whether a tool call may run: hooks first, then the rules and the mode, then the user. A hook can deny a call,
 * change its input or require approval; if it allows a call, that is no more than an allow rule.
 */
import { isDeepStrictEqual } from 'node:util';
import type { ToolDisplay } from '../protocol/entries/fields.ts';
import type { NewEntry } from '../protocol/entries.ts';
import type { FieldAnswer } from '../protocol/forms.ts';
import type { ToolCall } from '../protocol/messages.ts';
import {
  type Access,
  type CallQuestion,
  type Grant,
  keepingHidden,
  type PermissionAnswer,
  type PermissionDecision,
  type Preview,
  type TurnQuestion,
} from '../protocol/permissions.ts';
import type { PreparedCall, Settled, Tool, ToolContext, ToolOutcome } from '../protocol/tools.ts';
import { untilAborted } from '../protocol/untilAborted.ts';
import { type CheckpointKeeper, mayChangeAnything } from './checkpoints.ts';
import type { AllowedBy, BeforeCall, CallHooks, HookedCall } from './hooks/callHooks.ts';

/** A question before the asking agent's id is added. */
export type NewQuestion = Omit<CallQuestion, 'agentId'> | Omit<TurnQuestion, 'agentId'>;

/** Dependencies for preparing and approving a call. */
export interface ApprovalPorts {
  readonly signal: AbortSignal;
  readonly toolContext: (callId: string, tool: string, signal: AbortSignal) => ToolContext;
  /** `call` identifies the tool call; in mode `auto` a judge may take seconds to decide. */
  readonly decide: (tool: string, access: Access, call: DecidedCall) => Promise<PermissionDecision>;
  /** See `Questions`. */
  readonly ask: (
    question: NewQuestion,
    signal: AbortSignal,
    apply?: (answer: PermissionAnswer) => Promise<void>,
  ) => Promise<PermissionAnswer>;
  /** Applies an answer's effects beyond this call: an "always", or an approved plan. */
  readonly onAllowed: (question: NewQuestion, access: Access, answer: PermissionAnswer) => Promise<void>;
  readonly newId: () => string;
  readonly checkpoints: Pick<CheckpointKeeper, 'scan' | 'keep'>;
  /** Absent without hooks. */
  readonly hooks?: CallHooks | undefined;
}

/** Identifies a call to be decided about. */
interface DecidedCall {
  readonly id: string;
  readonly input: unknown;
  readonly signal: AbortSignal;
  /** A hook allows it, as an allow rule would. */
  readonly allowedBy?: AllowedBy | undefined;
}

export type Verdict =
  | { readonly type: 'outcome'; readonly outcome: ToolOutcome; readonly grant?: Grant }
  | {
      readonly type: 'refused';
      /** The basis of the decision if the call was denied permission. */
      readonly grant?: Grant;
      readonly status: 'denied' | 'interrupted' | 'error';
      readonly text: string;
      readonly stop: boolean;
      /** What the user sees instead of `text`, if it differs. */
      readonly shown?: Omit<ToolDisplay, 'title'>;
    };

/** State collected while a call is authorized. */
export interface Progress {
  title: string;
  readonly notes: NewEntry[];
  endsTurn: boolean;
}

/** A call whose input is valid. */
interface Checked {
  readonly type: 'checked';
  readonly call: ToolCall;
  readonly input: unknown;
  readonly prepared: Ready;
  /** The file whose hook changed the input. */
  readonly changedBy?: string;
}

type Ready = Extract<PreparedCall, { type: 'ready' }>;

export interface Granted extends Omit<Checked, 'type'> {
  readonly type: 'granted';
  readonly grant: Grant;
  /** The user's answers to a form. */
  readonly answers?: readonly FieldAnswer[];
}

/** Checks the input of a call. */
export async function prepare(
  tool: Tool,
  call: ToolCall,
  input: unknown,
  { toolContext, signal }: ApprovalPorts,
): Promise<Checked | Extract<Verdict, { type: 'refused' }>> {
  const prepared = await tool.prepare(input, toolContext(call.id, call.name, signal));
  return prepared.type === 'invalid'
    ? refused('error', prepared.message)
    : { type: 'checked', call, input, prepared };
}

/** The user has approved a call with another input. */
interface Approval {
  readonly type: 'changed';
  readonly input: unknown;
  /** The decision that the question was about. */
  readonly decision: PermissionDecision;
  readonly question: NewQuestion;
  readonly answer: AllowAnswer;
}

type AllowAnswer = Extract<PermissionAnswer, { behavior: 'allow' }>;

/** How often answers may change the input of one call. */
const MAX_CHANGES = 3;

/**
 * Decides whether the call may run. An answer may change the input: the changed call goes through hooks, rules and mode
 * as if the model had made it, and needs approval again if it raises a limit that the user has not seen.
 */
export async function authorize(
  tool: Tool,
  first: Checked,
  progress: Progress,
  ports: ApprovalPorts,
): Promise<Granted | Verdict> {
  let checked = first;
  let approval: Approval | undefined;
  for (let changes = 0; changes <= MAX_CHANGES; changes++) {
    const attempt = await authorizeOnce(tool, checked, progress, ports, approval);
    if (attempt.type === 'granted' && approval !== undefined) progress.notes.push(changeNote(attempt.input));
    if (attempt.type !== 'changed') return attempt;
    const next = await prepare(tool, first.call, attempt.input, ports);
    if (next.type !== 'checked')
      return refused('error', `The user changed the input of this call, but: ${next.text}`);
    progress.title = next.prepared.title;
    [checked, approval] = [next, attempt];
  }
  return refused('denied', 'The input of this call was changed again with every answer; it did not run.');
}

/** Characters of a changed input that are shown to the model. */
const MAX_CHANGE_CHARACTERS = 2000;

/** Tells the model that the call did not run as it asked. */
function changeNote(changed: unknown): NewEntry {
  const input = JSON.stringify(changed);
  const shown = input.length > MAX_CHANGE_CHARACTERS ? `${input.slice(0, MAX_CHANGE_CHARACTERS)} …` : input;
  const head = 'The user changed the input of this call to:\n';
  const data = { outputAt: head.length };
  return { type: 'user', subtype: 'nudge', message: { role: 'user', content: head + shown }, data };
}

/** Hooks first, then the rules, then the user if necessary. */
async function authorizeOnce(
  tool: Tool,
  first: Checked,
  progress: Progress,
  ports: ApprovalPorts,
  approval: Approval | undefined,
): Promise<Granted | Verdict | Approval> {
  const { hooks, signal } = ports;
  const { call } = first;
  const fromHooks = await hooks?.before(hooked(call, first.input, first.prepared), signal);
  if (signal.aborted) return notStarted;
  const checked = fromHooks === undefined ? first : await applyHooks(tool, first, fromHooks, progress, ports);
  if (checked.type !== 'checked') return checked;
  const decision = await decideOn(checked, fromHooks, ports);
  if (decision?.behavior !== 'ask') return follow(decision, checked, fromHooks, progress, ports, approval);
  const about = hooked(call, checked.input, checked.prepared);
  const requested = await hooks?.request(about, decision.suggestion, signal);
  if (signal.aborted) return notStarted;
  if (requested === undefined) return follow(decision, checked, fromHooks, progress, ports, approval);
  const final = await applyHooks(tool, checked, requested, progress, ports);
  if (final.type !== 'checked') return final;
  // What the first hooks required still applies; what they allowed, only for the input that they saw.
  const allowedBy =
    requested.allowedBy ?? (requested.changed === undefined ? fromHooks?.allowedBy : undefined);
  const both = {
    ...(fromHooks?.asks !== undefined && { asks: fromHooks.asks }),
    ...(allowedBy && { allowedBy }),
  };
  return follow(await decideOn(final, both, ports), final, both, progress, ports, approval);
}

type FromHooks = Pick<BeforeCall, 'asks' | 'allowedBy'> | undefined;

/** Grants or denies a call as decided, or asks the user. A question that is outdated is decided again. */
async function follow(
  decision: PermissionDecision | undefined,
  checked: Checked,
  fromHooks: FromHooks,
  progress: Progress,
  ports: ApprovalPorts,
  approval: Approval | undefined,
): Promise<Granted | Verdict | Approval> {
  if (decision === undefined) return notStarted;
  if (decision.behavior === 'allow') return { ...checked, type: 'granted', grant: grantOf(decision) };
  if (decision.behavior === 'deny') return denied(checked, decision, progress, ports);
  const asked = await askUser(checked, decision, ports, approval);
  if (asked !== 'outdated') return asked;
  return follow(await decideOn(checked, fromHooks, ports), checked, fromHooks, progress, ports, approval);
}

/** Only the judge's denials are reported to hooks, as in Claude Code; those by rules and modes are not. */
async function denied(
  { call, input, prepared }: Checked,
  decision: PermissionDecision,
  progress: Progress,
  { hooks, signal }: ApprovalPorts,
): Promise<Verdict> {
  const { basis, reason } = decision;
  if (basis === 'judge')
    progress.notes.push(...((await hooks?.denied(hooked(call, input, prepared), reason, signal)) ?? []));
  const grant = grantOf(decision);
  const { modelAdvice } = decision;
  if (modelAdvice === undefined) return refused('denied', `Not allowed: ${reason}`, { grant });
  const modelNotes = ` ${modelAdvice}`;
  return refused('denied', `Not allowed: ${reason}${modelNotes}`, {
    grant,
    shown: { summary: 'not allowed', modelNotes },
  });
}

/** Applies the hooks' answer about a call: denies it, or checks the input with which they replace its own. */
async function applyHooks(
  tool: Tool,
  checked: Checked,
  fromHooks: BeforeCall,
  progress: Progress,
  ports: ApprovalPorts,
): Promise<Checked | Verdict> {
  progress.notes.push(...fromHooks.notes);
  progress.endsTurn ||= fromHooks.endsTurn;
  if (fromHooks.denied !== undefined) return refused('denied', fromHooks.denied, { grant: byHook });
  if (fromHooks.changed === undefined) return checked;
  const { input, source } = fromHooks.changed;
  const changed = await prepare(tool, checked.call, input, ports);
  if (changed.type !== 'checked')
    return refused(
      'error',
      `A user hook (${source}) replaced the input with one that is not valid: ${changed.text}`,
    );
  progress.title = changed.prepared.title;
  const note = await ports.hooks?.tellChange(hooked(checked.call, input, changed.prepared), source);
  if (note !== undefined) progress.notes.push(note);
  return { ...changed, changedBy: source };
}

const byHook: Grant = { basis: 'rule', reason: 'a hook' };

/** The decision of the rules and the mode. A hook can turn an allow into a question, but never lift a denial. */
async function decideOn(
  { call, input, prepared }: Checked,
  fromHooks: FromHooks,
  { decide, checkpoints, signal }: ApprovalPorts,
): Promise<PermissionDecision | undefined> {
  // Parsing a huge command takes seconds, and so does judging: an interrupt waits for neither.
  const allowedBy = fromHooks?.allowedBy;
  const deciding = decide(call.name, prepared.access, {
    id: call.id,
    input,
    signal,
    ...(allowedBy && { allowedBy }),
  });
  const decision = await untilAborted(deciding, signal);
  const { replaces = [] } = decision ?? {};
  const lost = replaces.length > 0 ? await checkpoints.keep(prepared.access, replaces, signal) : undefined;
  if (signal.aborted) return undefined;
  if (lost !== undefined) return { behavior: 'ask', reason: lost };
  const asks = fromHooks?.asks;
  if (decision?.behavior !== 'allow' || asks === undefined) return decision;
  const { hiding } = decision;
  const asked: PermissionDecision = { behavior: 'ask', reason: asks };
  return hiding === undefined ? asked : keepingHidden(asked, hiding);
}

async function askUser(
  checked: Checked,
  decision: PermissionDecision,
  ports: ApprovalPorts,
  approval: Approval | undefined,
): Promise<Granted | Verdict | Approval | 'outdated'> {
  const { call, input, prepared, changedBy } = checked;
  if (approval !== undefined && isCovered(decision, approval.decision)) {
    await ports.onAllowed(approval.question, prepared.access, approval.answer);
    return allowed(checked, decision, approval.answer, ports);
  }
  const previewed = await previewOf(prepared);
  // The call's outcome is already certain (an edit that does not match, for example), so the user is not asked.
  if (previewed.type === 'settled') return { type: 'outcome', outcome: previewed.outcome };
  const preview = withShown(previewed, decision.shown);
  const changed = changedBy === undefined ? '' : ` A hook (${changedBy}) changed the model's call to this.`;
  const question: NewQuestion = {
    id: ports.newId(),
    callId: call.id,
    tool: call.name,
    title: prepared.title,
    input,
    preview,
    reason: `${decision.reason}${changed}`,
    ...(decision.suggestion === undefined ? {} : { suggestion: decision.suggestion }),
    ...(decision.canAutoAllow === true && { canAutoAllow: true }),
    ...(canSkim(preview, decision) && { canSkim: true }),
  };
  ports.hooks?.notify(hooked(call, input, prepared), ports.signal);
  const changedInput = ({ updatedInput }: AllowAnswer): AllowAnswer['updatedInput'] =>
    isDeepStrictEqual(updatedInput, input) ? undefined : updatedInput;
  const answer = await ports.ask(question, ports.signal, async (given) => {
    // A changed call is decided about first.
    if (given.behavior === 'allow' && changedInput(given) === undefined)
      await ports.onAllowed(question, prepared.access, given);
  });
  if (answer.behavior === 'deny' && answer.outdated === true) return 'outdated';
  const isUnasked = answer.behavior === 'deny' && answer.unasked === true;
  const grant: Grant = { basis: isUnasked ? 'mode' : 'user', reason: decision.reason };
  if (answer.behavior === 'allow') {
    const updated = changedInput(answer);
    if (updated === undefined) return allowed(checked, decision, answer, ports);
    return { type: 'changed', input: updated, decision, question, answer };
  }
  if (ports.signal.aborted) return notStarted;
  const comment = answer.comment?.trim() ?? '';
  const stop = answer.interrupt === true;
  const isQuestion = prepared.access.type === 'question';
  if (isUnasked) {
    const reason = isQuestion ? comment : `This call was not approved; it did not run. ${comment}`.trimEnd();
    return refused('denied', reason, { stop, grant });
  }
  const declined = isQuestion
    ? 'The user declined to answer'
    : `The user declined this call${comment === '' ? '. It' : '; it'} did not run`;
  const text = comment === '' ? `${declined}.` : `${declined}. They say: ${comment}`;
  const shown = { summary: 'declined', modelNotes: text, ...(comment === '' ? {} : { comment }) };
  return refused('denied', text, { stop, grant, shown });
}

/** See `canSkim` of a question. A protected file, or one outside the workspace, is a limit. */
function canSkim(preview: Preview, { causes = [] }: PermissionDecision): boolean {
  if (preview.type === 'plan') return true;
  return preview.type === 'diff' && causes.length > 0 && causes.every(({ type }) => type === 'edit');
}

/** Grants a call that the user has allowed. */
function allowed(
  checked: Checked,
  { reason, staysHidden }: PermissionDecision,
  answer: AllowAnswer,
  ports: ApprovalPorts,
): Granted {
  // Time passed while the question was open, and "always" may have written a rule into the project: scan again.
  if (mayChangeAnything(checked.prepared.access)) ports.checkpoints.scan();
  const grant: Grant = { basis: 'user', reason, ...(staysHidden && { hiding: staysHidden }) };
  return { ...checked, type: 'granted', grant, ...(answer.answers && { answers: answer.answers }) };
}

/** True if a decision raises no limit that the earlier question did not have. */
function isCovered(now: PermissionDecision, before: PermissionDecision): boolean {
  const limits = ({ causes = [] }: PermissionDecision): readonly string[] =>
    causes.flatMap((cause) => (cause.type === 'limit' ? [cause.reason] : []));
  // Unknown causes are treated as a limit.
  if (now.causes === undefined) return before.causes === undefined && now.reason === before.reason;
  const seen = limits(before);
  return limits(now).every((reason) => seen.includes(reason));
}

/** Read-only calls need no reason. */
function grantOf({
  basis = 'mode',
  reason,
  rule,
  isGuarded,
  showsUnapproved,
  searches,
  hiding,
}: PermissionDecision): Grant {
  return {
    basis: rule === undefined ? basis : 'rule',
    ...(basis !== 'read-only' && { reason }),
    ...(rule && { rule }),
    ...(isGuarded && { isGuarded }),
    ...(showsUnapproved && { showsUnapproved }),
    ...(searches && { searches }),
    ...(hiding && { hiding }),
  };
}

/** What else the user approves comes first. */
function withShown(preview: Preview, shown: string | undefined): Preview {
  if (shown === undefined || preview.type !== 'text') return preview;
  return { ...preview, text: `${shown}\n\n${preview.text}` };
}

async function previewOf(prepared: Extract<PreparedCall, { type: 'ready' }>): Promise<Preview | Settled> {
  try {
    return await prepared.preview();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { type: 'text', text: `${prepared.title}\n(no preview: ${why})` };
  }
}

/** The call in the form that hooks get. */
export function hooked({ id, name }: ToolCall, input: unknown, { access }: Ready): HookedCall {
  return { id, tool: name, input, access };
}

/** A call that does not run. */
export function refused(
  status: 'denied' | 'interrupted' | 'error',
  text: string,
  { stop = false, grant, shown }: { stop?: boolean; grant?: Grant; shown?: Omit<ToolDisplay, 'title'> } = {},
): Extract<Verdict, { type: 'refused' }> {
  return { type: 'refused', status, text, stop, ...(grant && { grant }), ...(shown && { shown }) };
}

/** The result of a call that the user stopped before it ran. */
export const notStarted = refused('interrupted', 'The user stopped the turn before this call ran.', {
  stop: true,
});
