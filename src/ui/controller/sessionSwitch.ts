/**
 * Controls which session is on screen: opens, forks and picks sessions, one at a time. Closes a session only after the
 * next one is open; if that one cannot be opened, nothing changes.
 */
import type { Agent, SessionChoices, SessionTarget } from '../../agent/types.ts';
import { createPicker, type Picked, type Picker } from '../sessions/picker.ts';
import type { Refusal, RefusalAnswer } from '../sessions/refusal.ts';
import type { AppServices, UiSession } from '../types.ts';
import { entryAt } from './replay.ts';
import type { Phase } from './types.ts';

export interface SessionSwitch {
  open(target: SessionTarget, how?: OpenHow): Promise<void>;
  /** Forks the open session at an entry and switches to the fork; undefined forks all of it. */
  fork(uptoSeq: number | undefined): Promise<void>;
  /** Shows the session picker. */
  pick(): void;
  /** Answers the dialog about a session that cannot be resumed. */
  answer(answer: RefusalAnswer): void;
  dispose(): void;
}

type IdTarget = Extract<SessionTarget, { type: 'id' }>;

interface OpenHow {
  /** Show the conversation around this entry instead of its end. */
  readonly at?: number;
  readonly title?: string;
  /** The id of the open session that this one was forked from. */
  readonly forkOf?: string;
}

interface SwitchPorts {
  readonly services: () => AppServices | undefined;
  readonly session: () => UiSession | undefined;
  readonly phase: (phase: Phase) => void;
  readonly showNotice: (level: 'info' | 'error', text: string) => void;
  /** Replaces the session on screen. */
  readonly attach: (session: UiSession, at: number | undefined) => Promise<void>;
  /** Scrolls to another entry of the session on screen. */
  readonly show: (at: number) => Promise<void>;
  /** Called last, when the session is on screen. */
  readonly opened: () => void;
  readonly isLeaving: () => boolean;
  readonly leave: (code: number) => void;
}

/** Exit code if the session given on the command line does not exist. */
const NO_SESSION = 42;

export function createSessionSwitch(ports: SwitchPorts): SessionSwitch {
  let opening = false;
  let picker: Picker | undefined;
  let refused: { readonly target: IdTarget; readonly how: OpenHow } | undefined;

  /** Opens one session at a time: a second Enter in the picker must not open it twice. */
  const open = async (target: SessionTarget, how: OpenHow = {}): Promise<void> => {
    const services = ports.services();
    if (services === undefined || opening) return;
    opening = true;
    try {
      await openFrom(services, target, how);
    } finally {
      opening = false;
    }
  };

  const openFrom = async (services: AppServices, target: SessionTarget, how: OpenHow): Promise<void> => {
    const before = ports.session();
    const left = before?.agent.state().sessionId;
    // This session is already open and we hold its lock.
    const isWritten = before?.agent.state().readOnly !== true;
    if (target.type === 'id' && target.mode === undefined && left === target.id && isWritten) {
      toSession();
      if (how.at !== undefined) await ports.show(how.at);
      return;
    }
    // Opening a long session takes a moment.
    picker?.tell('info', 'Opening…');
    const keepsChoices = target.type === 'new' && before !== undefined && isWritten;
    const outcome = await services.open(
      keepsChoices ? { ...target, choices: choicesOf(before.agent) } : target,
    );
    if (outcome.type === 'refused') {
      const { id, refusal, title, project } = outcome;
      const found = { ...target, type: 'id', id, ...(project === undefined ? {} : { project }) } as const;
      return refuse(found, { ...(title === undefined ? {} : { title }), ...how }, refusal);
    }
    if (outcome.type === 'failed') {
      if (picker !== undefined) {
        picker.tell('error', outcome.message);
        return showPicker(picker);
      }
      ports.showNotice('error', outcome.message);
      if (before !== undefined) return toSession();
      // The requested session does not exist: exit with an error instead of starting a new one.
      return ports.leave(NO_SESSION);
    }
    const { session } = outcome;
    if (ports.isLeaving()) {
      // The user left while it was opening, so release its lock.
      await session.agent.close();
      return;
    }
    closePicker();
    await ports.attach(session, how.at);
    const text = leftText(target, how, session.resumed ? undefined : left);
    if (text !== undefined) ports.showNotice('info', text);
    ports.opened();
  };

  const toSession = (): void => {
    closePicker();
    ports.phase({ type: ports.session() === undefined ? 'booting' : 'session' });
  };
  /** To the session, or to a new one if none is open. */
  const backToSession = (): void => {
    toSession();
    if (ports.session() === undefined) void open({ type: 'new' });
  };
  const closePicker = (): void => {
    picker?.dispose();
    picker = undefined;
  };
  const showPicker = (shown: Picker): void => ports.phase({ type: 'picking', picker: shown });

  const onPick = (picked: Picked): void => {
    const { target, how } = wantedOf(picked);
    const { project, root, isMoved: isGone } = picked.session;
    const sessions = ports.services()?.sessions;
    const isUnsure = picked.isFromAll || sessions?.isLikely(project) === true;
    const isElsewhere = isUnsure && project !== sessions?.project;
    if (isElsewhere && target.mode !== 'fork')
      refuse(target, how, { why: 'elsewhere', root, isGone, canRead: true });
    else void open(target, how);
  };
  const refuse = (target: IdTarget, how: OpenHow, refusal: Refusal): void => {
    refused = { target, how };
    const back = picker !== undefined ? 'list' : ports.session() !== undefined ? 'session' : 'new';
    ports.phase({ type: 'refused', refusal, id: target.id, title: how.title, back });
  };

  return {
    open,
    async fork(uptoSeq) {
      const agent = ports.session()?.agent;
      if (agent === undefined) return;
      const forkOf = agent.state().sessionId;
      const copy = await forkAt(agent, uptoSeq);
      if ('problem' in copy) ports.showNotice('error', copy.problem);
      else await open({ type: 'id', id: copy.id }, { forkOf });
    },
    pick() {
      const services = ports.services();
      if (services === undefined) return;
      closePicker();
      const agent = ports.session()?.agent;
      picker = createPicker(services.sessions, {
        current: agent && currentOf(agent),
        onPick,
        onCancel: backToSession,
      });
      showPicker(picker);
    },
    answer(answer) {
      const asked = refused;
      refused = undefined;
      if (answer === 'back' || asked === undefined) {
        return picker === undefined ? backToSession() : showPicker(picker);
      }
      void open(answer === 'write' ? asked.target : { ...asked.target, mode: answer }, asked.how);
    },
    dispose: closePicker,
  };
}

/** The choice in the list: a session, at an entry if a hit was chosen, or a fork that ends there. */
function wantedOf({ session: { id, project, title }, seq, mode }: Picked): {
  readonly target: IdTarget;
  readonly how: OpenHow;
} {
  const target: IdTarget = { type: 'id', id, project };
  if (mode === 'fork')
    return { target: { ...target, mode, ...(seq === undefined ? {} : { uptoSeq: seq }) }, how: { title } };
  return { target, how: { title, ...(seq === undefined ? {} : { at: seq }) } };
}

function currentOf(agent: Agent) {
  return {
    id: agent.state().sessionId,
    rename: (title: string) => agent.submit({ type: 'set_title', title }),
  };
}

function choicesOf(agent: Agent): SessionChoices {
  const { chosenModel, model, mode, modes } = agent.state();
  return { model: chosenModel, effort: model.effort, mode, afterPlan: modes.afterPlan };
}

/** How to return to the session that was left; undefined if there is none. */
function leftText(target: SessionTarget, how: OpenHow, left: string | undefined): string | undefined {
  const original = how.forkOf ?? (target.type === 'id' && target.mode === 'fork' ? target.id : undefined);
  if (original !== undefined) return `Forked; you are now in the copy. Original: /resume ${original}`;
  return left === undefined ? undefined : `New session. Resume the previous one with /resume ${left}`;
}

/** Forks after an entry, or at the end; returns the id of the copy. */
async function forkAt(
  agent: Agent,
  uptoSeq: number | undefined,
): Promise<{ readonly id: string } | { readonly problem: string }> {
  try {
    const upto = uptoSeq === undefined ? undefined : await entryAt(agent, uptoSeq);
    if (uptoSeq !== undefined && upto === undefined)
      return { problem: `There is no entry #${uptoSeq} in this session to fork at.` };
    return { id: await agent.fork(upto?.uuid) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { problem: `The session could not be forked: ${why}` };
  }
}
