/**
 * One session of a client: its prompts run one after another, its events become updates, and its questions go to the
 * client. Does what a user at the screen can do, and no more.
 */
import type {
  ContentBlock,
  SessionConfigOption,
  SessionModeState,
  SessionUpdate,
  StopReason,
} from '@agentclientprotocol/sdk';
import type { CommandHost } from '../commands/types.ts';
import { eventAfter, type ModePorts, setMode } from '../headless/driver/controlRequests.ts';
import { outcomeOf } from '../headless/outcome.ts';
import { createPromptRunner } from '../headless/promptRunner.ts';
import { createTally } from '../headless/tally.ts';
import type { RunEnd } from '../headless/types.ts';
import type { JSONLEntry } from '../protocol/entries.ts';
import { type Effort, efforts } from '../protocol/wires.ts';
import type { ClientAbilities, ClientLink } from './clientLink.ts';
import { commandList } from './commandList.ts';
import { configOptionsOf, DEFAULT_EFFORT, modesOf, optionIds } from './configOptions.ts';
import { createEventUpdates } from './eventUpdates.ts';
import type { Showing } from './permissionRequest.ts';
import { promptOf } from './promptContent.ts';
import { createQuestions } from './questions.ts';
import { createEntryReader, replayed } from './replay.ts';
import { type PromptEnd, promptEnd } from './stopReason.ts';

/** A session as it was opened for a client. */
export interface OpenedForClient extends Pick<ModePorts, 'mayBypass' | 'parseMode'> {
  readonly host: CommandHost;
  /** What the user should know about it, ready to show. */
  readonly notices: readonly string[];
  /** Resolves when the MCP servers have connected or failed. */
  readonly settle: (signal: AbortSignal) => Promise<void>;
}

interface SessionPorts extends Showing {
  readonly link: ClientLink;
  readonly abilities: ClientAbilities;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Takes messages that the client cannot show. */
  readonly log: (text: string) => void;
}

/** A request that cannot be fulfilled; the message is ready to show. */
export class SessionRequestError extends Error {}

export interface AcpSession {
  readonly id: string;
  modes(): SessionModeState;
  configOptions(): SessionConfigOption[];
  /** Runs a prompt after those before it. Rejects with a `SessionRequestError` if its turn fails. */
  prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<StopReason>;
  /** Ends the turn and withdraws the prompts that wait. */
  cancel(): void;
  isBusy(): boolean;
  setMode(mode: string): Promise<void>;
  setOption(option: string, value: unknown): Promise<void>;
  /** Sends what happened before, up to a limit. */
  replay(): Promise<void>;
  /** Sends what a client shows before the first prompt. */
  announce(): void;
  close(): Promise<void>;
}

/** More prompts at the same time than any client has. */
const MAX_WAITING = 20;
/** Entries of an old session that are sent again, newest first. */
const MAX_REPLAYED = 4_000;
/** Entries that are read at once. */
const PAGE = 500;
/** Longest wait for another model, in milliseconds. */
const CHANGE_MS = 5_000;

const IN_EDITOR = 'Use the menus of your editor, or start clawdcode in a terminal.';

export function createAcpSession(opened: OpenedForClient, ports: SessionPorts): AcpSession {
  const { host, settle } = opened;
  const { agent } = host;
  const { link, abilities, reveal, notice, log } = ports;
  const { sessionId: id } = agent.state();
  let models: readonly string[] = [];
  let commands: CommandHost['commands'] | undefined;
  let isClosed = false;
  const stopping = new AbortController();
  const send = (update: SessionUpdate): void => void link.update(update);
  const configOptions = (): SessionConfigOption[] => configOptionsOf(agent.state(), models);
  const updates = createEventUpdates({
    ...{ agent, link, abilities, log },
    onChoice() {
      send({ sessionUpdate: 'current_mode_update', currentModeId: agent.state().mode });
      send({ sessionUpdate: 'config_option_update', configOptions: configOptions() });
    },
  });
  const questions = createQuestions({
    ...{ link, abilities, reveal, notice, idOf: updates.idOf },
    answer: (question, answer) => agent.submit({ type: 'answer', id: question, answer }),
  });
  const runTurn = createTurns(opened, ports, updates, questions);
  /** Prompts of MCP servers and skills may come and go. */
  const tellCommands = (): void => {
    const known = host.commands;
    if (known === commands || isClosed) return;
    commands = known;
    send({ sessionUpdate: 'available_commands_update', availableCommands: commandList(known) });
  };
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  /** Increases with each cancellation: prompts of before do not start any more. */
  let cancellations = 0;
  const cancel = (): void => {
    cancellations++;
    agent.submit({ type: 'interrupt' });
    // The first interrupt of a turn that waits for a summary ends only the wait.
    if (agent.state().busy) agent.submit({ type: 'interrupt' });
  };
  return {
    id,
    modes: () => modesOf(agent.state()),
    configOptions,
    isBusy: () => waiting > 0 || agent.state().busy,
    cancel,
    async prompt(blocks, signal) {
      if (waiting >= MAX_WAITING) throw new SessionRequestError('Too many prompts are waiting.');
      const prompt = promptOf(blocks);
      const seen = cancellations;
      const isCancelled = (): boolean => isClosed || cancellations !== seen || signal.aborted;
      const run = async (): Promise<PromptEnd> => {
        if (!isCancelled()) await settle(AbortSignal.any([signal, stopping.signal]));
        if (isCancelled()) return { type: 'stopped', reason: 'cancelled' };
        signal.addEventListener('abort', cancel, { once: true });
        const end = await runTurn(prompt);
        signal.removeEventListener('abort', cancel);
        if (isCancelled()) return { type: 'stopped', reason: 'cancelled' };
        if (end.type === 'stopped' && end.text !== undefined && end.text.trim() !== '') updates.say(end.text);
        return end;
      };
      waiting++;
      const ended = last.then(run).finally(() => waiting--);
      last = ended.catch(() => undefined);
      const end = await ended;
      tellCommands();
      if (end.type === 'failed') throw new SessionRequestError(end.message);
      return end.reason;
    },
    async setMode(mode) {
      await setMode(mode, opened).catch((error: Error) => {
        throw new SessionRequestError(error.message);
      });
    },
    async setOption(option, value) {
      if (typeof value !== 'string') throw new SessionRequestError('The value must be a text.');
      if (option === optionIds.mode) return this.setMode(value);
      if (option === optionIds.model) return selectModel(value, host);
      if (option === optionIds.effort) return selectEffort(value, host);
      throw new SessionRequestError(`There is no option "${option.slice(0, 100)}".`);
    },
    async replay() {
      const reader = createEntryReader();
      for (const entry of await pastEntries(host))
        for (const update of replayed(entry, reader)) await link.update(update);
    },
    announce() {
      for (const text of opened.notices) updates.notice('warning', text);
      tellCommands();
      void settle(stopping.signal).then(tellCommands);
      void host.listModels().then(
        ({ ids }) => {
          models = ids;
          if (!isClosed && ids.length > 0)
            send({ sessionUpdate: 'config_option_update', configOptions: configOptions() });
        },
        () => undefined,
      );
    },
    async close() {
      isClosed = true;
      stopping.abort();
      questions.close();
      cancel();
      await agent.close();
    },
  };
}

/** Runs prompts on the agent, one at a time. */
function createTurns(
  { host }: OpenedForClient,
  { now }: SessionPorts,
  updates: ReturnType<typeof createEventUpdates>,
  questions: ReturnType<typeof createQuestions>,
) {
  const tally = createTally(host.agent, now);
  let end: RunEnd = { type: 'turn', outcome: 'failed', steps: 0 };
  const runner = createPromptRunner({
    ...{ agent: host.agent, host: async () => host, tally, limits: {}, withoutTerminal: IN_EDITOR },
    reporter: {
      begin: () => undefined,
      event: updates.hear,
      async end(given) {
        end = given;
      },
    },
    onQuestion: questions.put,
    onEvent(event) {
      if (event.type === 'permission_answered') questions.answered(event.id);
    },
  });
  return async (prompt: Parameters<typeof runner.run>[0]): Promise<PromptEnd> => {
    await runner.run(prompt);
    return promptEnd(end, outcomeOf(end, tally), tally.finishReason());
  };
}

/** The newest entries of the conversation as it stands, oldest first. */
async function pastEntries({ agent }: CommandHost): Promise<readonly JSONLEntry[]> {
  const live = agent.liveEntries();
  const first = agent.entries()[0]?.seq ?? 0;
  let entries = [...live];
  for (let before = first; before > 0 && entries.length < MAX_REPLAYED; ) {
    const page = await agent.page(before, PAGE);
    if (page.length === 0) break;
    entries = [...page, ...entries];
    before = page[0]?.seq ?? 0;
  }
  return entries.slice(-MAX_REPLAYED);
}

async function selectModel(model: string, { agent }: CommandHost): Promise<void> {
  if (!/^\S{1,200}$/.test(model)) throw new SessionRequestError('This is no name of a model.');
  if (model === agent.state().model.id) return;
  const isChanged = (event: { readonly type: string }): true | undefined =>
    event.type === 'model_changed' ? true : undefined;
  await eventAfter(agent, () => agent.submit({ type: 'set_model', model }), isChanged, CHANGE_MS);
}

async function selectEffort(value: string, { agent }: CommandHost): Promise<void> {
  const effort = efforts.find((one): one is Effort => one === value);
  if (effort === undefined && value !== DEFAULT_EFFORT)
    throw new SessionRequestError(`There is no effort "${value.slice(0, 40)}".`);
  agent.submit({ type: 'set_effort', ...(effort && { effort }) });
}
