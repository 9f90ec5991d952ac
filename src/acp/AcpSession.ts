/**
 * One session of a client: its prompts run one after another, its events become updates, and its questions go to the
 * client. Does what a user at the screen can do, and no more.
 */
import type {
  AvailableCommand,
  ContentBlock,
  SessionConfigOption,
  SessionModeState,
  SessionUpdate,
  StopReason,
} from '@agentclientprotocol/sdk';
import type { Command, CommandHost } from '../commands/types.ts';
import { eventAfter, type ModePorts, setMode } from '../headless/driver/controlRequests.ts';
import type { JSONLEntry } from '../protocol/entries.ts';
import { type Effort, efforts } from '../protocol/models/wires.ts';
import { visibleLine } from '../protocol/text/visible.ts';
import type { ClientAbilities, ClientLink } from './clientLink.ts';
import { configOptionsOf, DEFAULT_EFFORT, modesOf, offeredModels, optionIds } from './configOptions.ts';
import { createEventUpdates } from './eventUpdates.ts';
import type { Showing } from './permissionRequest.ts';
import { promptOf } from './promptContent.ts';
import { createPromptQueue } from './promptQueue.ts';
import { createQuestions } from './questions.ts';
import { createEntryReader, replayed } from './replay.ts';

/** A session opened for a client. */
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
  /** Receives messages that the client cannot show. */
  readonly log: (text: string) => void;
}

/** A request that cannot be fulfilled; the message is ready to show. `invalid`: its parameters are wrong. */
export class SessionRequestError extends Error {
  readonly why: 'invalid' | 'failed';

  constructor(message: string, why: SessionRequestError['why'] = 'failed') {
    super(message);
    this.why = why;
  }
}

export interface AcpSession {
  readonly id: string;
  modes(): SessionModeState;
  configOptions(): SessionConfigOption[];
  /** Runs a prompt after those before it. Rejects with a `SessionRequestError` if its turn fails. */
  prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<StopReason>;
  /** Ends the turn and cancels queued prompts. */
  cancel(): void;
  isBusy(): boolean;
  setMode(mode: string): Promise<void>;
  setOption(option: string, value: unknown): Promise<void>;
  /** Sends the session's history, up to a limit. */
  replay(): Promise<void>;
  /** Waits briefly for the list of models, which a client shows from the start. */
  prepare(): Promise<void>;
  /** Sends what the client shows before the first prompt. */
  announce(): void;
  close(): Promise<void>;
}

/** Maximum entries of a resumed session that are sent: the newest. */
const MAX_REPLAYED = 4_000;
/** Entries that are read at once. */
const PAGE = 500;

export function createAcpSession(opened: OpenedForClient, ports: SessionPorts): AcpSession {
  const { host, settle } = opened;
  const { agent } = host;
  const { link, abilities, reveal, notice, log, now } = ports;
  const stopping = new AbortController();
  const lists = createLists(host, link, stopping.signal);
  const updates = createEventUpdates({ agent, link, abilities, log, onChoice: lists.sendChoices });
  const questions = createQuestions({
    ...{ link, abilities, reveal, notice, idOf: updates.idOf },
    answer: (id, answer) => agent.submit({ type: 'answer', id, answer }),
  });
  const prompts = createPromptQueue({
    ...{ host, settle, now, handle: updates.handle, onQuestion: questions.put },
    onEvent: (event) => event.type === 'permission_answered' && questions.answered(event.id),
  });
  const switchMode = async (mode: string): Promise<void> => {
    await setMode(mode, opened).catch((error: Error) => {
      throw new SessionRequestError(error.message);
    });
  };
  return {
    id: agent.state().sessionId,
    modes: () => modesOf(agent.state()),
    configOptions: lists.configOptions,
    isBusy: prompts.isBusy,
    cancel: prompts.cancel,
    async prompt(blocks, signal) {
      const end = await prompts.run(promptOf(blocks), AbortSignal.any([signal, stopping.signal]));
      if (end === undefined) throw new SessionRequestError('Too many prompts are waiting.');
      lists.sendCommands();
      if (end.type === 'failed') throw new SessionRequestError(end.message);
      if (end.text !== undefined && end.text.trim() !== '') updates.say(end.text);
      return end.reason;
    },
    setMode: switchMode,
    async setOption(option, value) {
      if (typeof value !== 'string') throw new SessionRequestError('The value must be a string.', 'invalid');
      if (lists.configOptions().every(({ id }) => id !== option))
        throw new SessionRequestError(`There is no option "${option.slice(0, 100)}".`, 'invalid');
      if (option === optionIds.mode) await switchMode(value);
      if (option === optionIds.model) await selectModel(value, host, lists.models());
      if (option === optionIds.effort) selectEffort(value, host);
    },
    async replay() {
      const reader = createEntryReader();
      for (const entry of await pastEntries(host))
        for (const update of replayed(entry, reader)) await link.update(update);
    },
    prepare: lists.findModels,
    announce() {
      for (const text of opened.notices) updates.notice('warning', text);
      lists.sendCommands();
      void settle(stopping.signal).then(lists.sendCommands);
    },
    async close() {
      stopping.abort();
      questions.close();
      prompts.cancel();
      await agent.close();
    },
  };
}

/** Longest wait for the endpoint's list of models before a session is reported as open, in milliseconds. */
const MODELS_MS = 1_500;

/** What a client offers to choose from: modes, models and commands, which may change. */
function createLists(host: CommandHost, link: ClientLink, stopped: AbortSignal) {
  const { agent } = host;
  // The list of the endpoint may lack the model that the session began with: it stays on offer.
  const { id: first } = agent.state().model;
  let models: readonly string[] = [first];
  let commands: CommandHost['commands'] | undefined;
  const send = (update: SessionUpdate): void => {
    if (!stopped.aborted) void link.update(update);
  };
  const configOptions = (): SessionConfigOption[] => configOptionsOf(agent.state(), models);
  const sendOptions = (): void =>
    send({ sessionUpdate: 'config_option_update', configOptions: configOptions() });
  return {
    configOptions,
    models: () => offeredModels(agent.state(), models),
    sendChoices(): void {
      send({ sessionUpdate: 'current_mode_update', currentModeId: agent.state().mode });
      sendOptions();
    },
    /** Prompts of MCP servers and skills may come and go. */
    sendCommands(): void {
      const known = host.commands;
      if (known === commands) return;
      commands = known;
      send({ sessionUpdate: 'available_commands_update', availableCommands: commandList(known) });
    },
    async findModels(): Promise<void> {
      let isLate = false;
      const listed = host.listModels().then(({ ids }) => {
        models = [first, ...ids];
        if (isLate) sendOptions();
      });
      await within(MODELS_MS, listed);
      isLate = true;
    },
  };
}

/** Resolves with `work`, whether or not it succeeds, but after this time at the latest. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work.catch(() => undefined), late]);
  clearTimeout(timer);
}

/** The newest entries in effect, oldest first. */
async function pastEntries({ agent }: CommandHost): Promise<readonly JSONLEntry[]> {
  let entries = [...agent.liveEntries()];
  for (let before = agent.entries()[0]?.seq ?? 0; before > 0 && entries.length < MAX_REPLAYED; ) {
    const page = await agent.page(before, PAGE);
    if (page.length === 0) break;
    entries = [...page, ...entries];
    before = page[0]?.seq ?? 0;
  }
  return entries.slice(-MAX_REPLAYED);
}

/** Longest wait for another model, in milliseconds. */
const CHANGE_MS = 5_000;

async function selectModel(model: string, { agent }: CommandHost, offered: readonly string[]): Promise<void> {
  if (!offered.includes(model)) {
    const text = `"${model.slice(0, 100)}" is not one of the models offered in this session.`;
    throw new SessionRequestError(`${text} Start clawdcode acp with --model to use another one.`, 'invalid');
  }
  if (model === agent.state().model.id) return;
  const isChanged = (event: { readonly type: string }): true | undefined =>
    event.type === 'model_changed' ? true : undefined;
  await eventAfter(agent, () => agent.submit({ type: 'set_model', model }), isChanged, CHANGE_MS);
}

function selectEffort(value: string, { agent }: CommandHost): void {
  const effort = efforts.find((one): one is Effort => one === value);
  if (effort === undefined && value !== DEFAULT_EFFORT)
    throw new SessionRequestError(`There is no effort "${value.slice(0, 40)}".`, 'invalid');
  agent.submit({ type: 'set_effort', ...(effort && { effort }) });
}

// The slash commands and skills that a client offers. Pure.

/** Commands that act on a screen, or that the client replaces with its own. */
const withoutScreen: ReadonlySet<string> = new Set([
  ...['clear', 'copy', 'exit', 'fork', 'keys', 'resume', 'statusline', 'theme', 'vim'],
]);

const MAX_COMMANDS = 300;

function commandList(commands: readonly Command[]): AvailableCommand[] {
  return commands
    .filter(({ name, isPrompt }) => isPrompt === true || !withoutScreen.has(name))
    .slice(0, MAX_COMMANDS)
    .map(({ name, description, argumentHint }) => ({
      name,
      description: visibleLine(description, 300),
      ...(argumentHint === undefined ? {} : { input: { hint: visibleLine(argumentHint, 100) } }),
    }));
}
