import type { AgentEvent } from '../protocol/events.ts';
import type {
  CallQuestion,
  PermissionAnswer,
  PermissionQuestion,
  TurnQuestion,
} from '../protocol/permissions.ts';

/** A question before it is known which agent asks it. */
export type NewQuestion = Omit<CallQuestion, 'agentId'> | Omit<TurnQuestion, 'agentId'>;

/** The open questions of a session: the agent waits here, a subscriber answers through an op. */
export interface Questions {
  /** Resolves with the answer; an abort answers every open question with a refusal that ends the turn. */
  ask(question: NewQuestion, signal: AbortSignal): Promise<PermissionAnswer>;
  answer(id: string, answer: PermissionAnswer): void;
  open(): readonly PermissionQuestion[];
}

/** Owns the promises behind `permission_question` events; parallel calls may have several open at once. */
export function createQuestions(
  agentId: string,
  emit: (event: AgentEvent) => void,
  asksNothing: () => boolean = () => false,
): Questions {
  const waiting = new Map<
    string,
    { question: PermissionQuestion; settle: (answer: PermissionAnswer) => void }
  >();

  const answer = (id: string, given: PermissionAnswer): void => {
    const entry = waiting.get(id);
    if (entry === undefined) return;
    waiting.delete(id);
    entry.settle(given);
    emit({ type: 'permission_answered', id, answer: given });
  };

  return {
    ask(asked, signal) {
      const question: PermissionQuestion = { ...asked, agentId };
      if (signal.aborted) return Promise.resolve(refusal);
      if (asksNothing()) return Promise.resolve(unasked);
      return new Promise((resolve) => {
        const onAbort = (): void => answer(question.id, refusal);
        signal.addEventListener('abort', onAbort, { once: true });
        waiting.set(question.id, {
          question,
          settle: (given) => {
            signal.removeEventListener('abort', onAbort);
            resolve(given);
          },
        });
        emit({ type: 'permission_question', question });
      });
    },
    answer,
    open: () => [...waiting.values()].map((entry) => entry.question),
  };
}

/** What is not about a rule comes here in the mode `dontAsk` as well: whether to go on, a host that a command wants. */
const unasked: PermissionAnswer = {
  behavior: 'deny',
  comment: 'This session does not ask (mode dontAsk).',
  unasked: true,
};

const refusal: PermissionAnswer = { behavior: 'deny', interrupt: true };
