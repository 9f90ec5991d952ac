/**
 * A server's questions to the user (elicitation): one at a time, only while one of its calls runs, and only if there is
 * a user to answer. The user can decline all later requests from a server.
 */
import type { Form, ReviewChoice } from '../protocol/forms.ts';
import type { PermissionAnswer } from '../protocol/permissions.ts';
import type { ToolContext } from '../protocol/tools.ts';
import { readElicitation } from './elicitation.ts';

/** Requests that wait for the one on screen; more are declined. */
const MAX_WAITING = 4;
/** From this request of a call on, the user is offered to decline all later ones. */
const OFFERED_FROM = 3;

/** The result of `elicitation/create`. */
interface ElicitReply {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Record<string, string | number | boolean | string[]>;
}

/** A call that runs now. */
export interface ActiveCall {
  /** Absent if there is no user to ask. */
  readonly ask: ToolContext['askForm'];
  /** Aborted when the call is over, which withdraws its requests. */
  readonly signal: AbortSignal;
  /** Stops the call's clock until the returned function is called. */
  readonly hold: () => () => void;
}

export interface UserRequests {
  /** Called when a call begins; returns the function to call when it ends. */
  began(call: ActiveCall): () => void;
  /** Asks the user. `signal` aborts when the server withdraws the request. Never rejects. */
  answer(params: unknown, signal: AbortSignal): Promise<ElicitReply>;
  /** Asks again after the user has declined all later requests. */
  unmute(): void;
}

interface UserRequestPorts {
  readonly server: string;
  /** Defined in the project, not by the user. */
  readonly isOfProject: boolean;
  readonly openUrl: ((url: string) => void) | undefined;
  readonly log: (text: string) => void;
}

export function createUserRequests({ server, isOfProject, openUrl, log }: UserRequestPorts): UserRequests {
  const running: { readonly call: ActiveCall; asked: number }[] = [];
  let isMuted = false;
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  const headline = `The MCP server "${server}"${isOfProject ? ' of this project' : ''} asks`;

  const declined = (why: string): ElicitReply => {
    log(`(A question to the user was declined: ${why}.)\n`);
    return { action: 'decline' };
  };

  const answer = async (params: unknown, signal: AbortSignal): Promise<ElicitReply> => {
    // The protocol does not say which call a request belongs to; the newest one is the best guess.
    const found = running.findLast(({ call }) => call.ask !== undefined);
    if (found === undefined) return { action: 'cancel' };
    const { call } = found;
    if (isMuted) return { action: 'decline' };
    if (waiting > MAX_WAITING) return declined('too many at once');
    const read = readElicitation(params);
    if ('problem' in read) return declined(read.problem);
    const resume = call.hold();
    waiting++;
    const before = last;
    const asked = (async (): Promise<ElicitReply> => {
      await before;
      const until = AbortSignal.any([signal, call.signal]);
      if (isMuted) return { action: 'decline' };
      if (until.aborted || call.ask === undefined) return { action: 'cancel' };
      found.asked++;
      const review = reviewOf(read.form, server, found.asked);
      const given = await call.ask({ headline, form: { ...read.form, review }, signal: until });
      if (given.behavior === 'deny') return denied(given);
      if (given.choice === OPEN && read.form.link !== undefined) openUrl?.(read.form.link);
      if (read.form.link !== undefined) return { action: 'accept' };
      return { action: 'accept', content: read.contentOf(given.answers ?? []) };
    })().finally(() => {
      waiting--;
      resume();
    });
    last = asked.catch(() => undefined);
    return asked;
  };

  const denied = ({ choice }: Extract<PermissionAnswer, { behavior: 'deny' }>): ElicitReply => {
    if (choice === DECLINE_ALL) isMuted = true;
    return { action: choice === undefined ? 'cancel' : 'decline' };
  };

  return {
    began(call) {
      const one = { call, asked: 0 };
      running.push(one);
      return () => {
        running.splice(running.indexOf(one), 1);
      };
    },
    answer,
    unmute() {
      isMuted = false;
    },
  };
}

const OPEN = 'open';
const DECLINE = 'decline';
const DECLINE_ALL = 'decline_all';

function reviewOf(
  { fields, link }: Pick<Form, 'fields' | 'link'>,
  server: string,
  asked: number,
): readonly ReviewChoice[] {
  const sends: readonly ReviewChoice[] =
    link === undefined
      ? [{ label: fields.length === 0 ? 'Accept' : `Send the answers to ${server}`, sends: true }]
      : [
          { label: 'Open it in the browser', sends: true, name: OPEN },
          { label: 'I have opened it myself', sends: true },
        ];
  return [
    ...sends,
    { label: 'Decline', sends: false, name: DECLINE },
    ...(asked < OFFERED_FROM
      ? []
      : [{ label: `Decline this and all later requests from ${server}`, sends: false, name: DECLINE_ALL }]),
  ];
}
