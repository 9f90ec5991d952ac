/**
 * Passes the agent's questions to the client. It can give the answers that a user could give in the terminal; no answer,
 * or any other one, denies the call.
 */
import { refusalOf } from '../headless/denials.ts';
import type { Form } from '../protocol/forms.ts';
import type { PermissionAnswer, PermissionQuestion } from '../protocol/permissions.ts';
import type { ClientAbilities, ClientLink } from './clientLink.ts';
import { choiceRequest, chosenAnswer, fieldsRequest, formAnswer } from './elicitation.ts';
import {
  isTooLong,
  permissionAnswer,
  permissionCall,
  permissionOptions,
  type Showing,
} from './permissionRequest.ts';

interface QuestionPorts extends Showing {
  readonly link: ClientLink;
  readonly abilities: Pick<ClientAbilities, 'forms'>;
  readonly answer: (id: string, answer: PermissionAnswer) => void;
  /** The client's id of a call; undefined if the call has not been reported to it. */
  readonly idOf: (callId: string) => string | undefined;
}

interface Questions {
  /** Asks the client, and passes its answer on. */
  put(question: PermissionQuestion): void;
  /** Withdraws a question for which the agent no longer waits. */
  answered(id: string): void;
  /** The client has disconnected: denies all open questions. */
  close(): void;
}

export function createQuestions(ports: QuestionPorts): Questions {
  const open = new Map<string, AbortController>();
  return {
    put(question) {
      const asked = new AbortController();
      open.set(question.id, asked);
      void ask(question, ports, asked.signal)
        .catch(() => refusalOf(question))
        .then((answer) => {
          if (open.delete(question.id)) ports.answer(question.id, answer);
        });
    },
    answered(id) {
      const asked = open.get(id);
      open.delete(id);
      asked?.abort();
    },
    close() {
      for (const asked of open.values()) asked.abort();
    },
  };
}

async function ask(
  question: PermissionQuestion,
  { link, abilities, reveal, notice, idOf }: QuestionPorts,
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  const { preview, from, callId } = question;
  if (preview.type === 'form') {
    if (!abilities.forms) return refusalOf(question);
    return askFields(question, preview, link, signal);
  }
  if (isTooLong(preview))
    return {
      ...{ behavior: 'deny', unasked: true },
      comment: 'It is too long to be shown in full in the editor. Do it in smaller steps.',
    };
  // The calls of subagents have ids of their own; the client learns about such a call with the question.
  const known = from === undefined && callId !== undefined ? idOf(callId) : undefined;
  const id = known ?? `question-${question.id}`;
  const options = permissionOptions(question, reveal);
  const given = await link.askPermission(
    { toolCall: permissionCall(id, question, { reveal, notice }), options },
    signal,
  );
  const answer = permissionAnswer(given, options);
  if (known === undefined) {
    const status = answer.behavior === 'allow' ? 'completed' : 'failed';
    void link.update({ sessionUpdate: 'tool_call_update', toolCallId: id, status });
  }
  return answer;
}

async function askFields(
  { headline, from }: PermissionQuestion,
  form: Form,
  link: ClientLink,
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  const asker = from === undefined || headline === undefined ? headline : `${headline} (subagent ${from})`;
  const choices = choiceRequest({ form, asker });
  if (choices !== undefined) {
    const { answer } = chosenAnswer(await link.askForm(choices, signal), form);
    if (answer !== undefined) return answer;
  }
  return formAnswer(await link.askForm(fieldsRequest({ form, asker }), signal), form);
}
