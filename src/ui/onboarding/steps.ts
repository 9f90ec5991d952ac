/** The steps of the first minute, and what leads from one to the next. Pure. */

import type { ServedModel } from '../../protocol/server.ts';
import type { Choice } from '../components/choices.ts';
import { createForm, type Form, fieldNames } from '../components/onboardingForm.ts';
import type { Access, AccessOutcome } from './SetupPort.ts';

export type Step =
  | { readonly type: 'choices' }
  /** How to start a local server. */
  | { readonly type: 'help' }
  /** All models that were found on this machine. */
  | { readonly type: 'found' }
  | { readonly type: 'form'; readonly form: Form }
  | { readonly type: 'checking'; readonly access: Access; readonly form: Form }
  | {
      readonly type: 'refused';
      readonly access: Access;
      readonly form: Form;
      readonly refusal: Extract<AccessOutcome, { type: 'refused' }>;
    }
  /** What the endpoint lists; without a proof of the key, the chosen one is tried. */
  | {
      readonly type: 'models';
      readonly access: Access;
      readonly models: readonly ServedModel[];
      readonly isProven: boolean;
      readonly form: Form;
    };

export interface RefusedChoice extends Choice {
  readonly deed: 'correct' | 'again' | 'keep' | 'back';
}

/** What can be done about a refusal. Without a model there is nothing that could be kept. */
export function refusedChoices({
  access,
  refusal,
}: Extract<Step, { type: 'refused' }>): readonly RefusedChoice[] {
  const canKeep = refusal.field !== 'model' || access.model !== '';
  return [
    { label: corrections[refusal.field], letter: 'c', deed: 'correct' },
    { label: 'Try again', letter: 't', deed: 'again' },
    ...(canKeep ? [{ label: 'Keep it as is', letter: 'k', deed: 'keep' } as const] : []),
    { label: 'Back', letter: 'b', deed: 'back' },
  ];
}

const corrections = {
  apiKey: 'Change the key',
  baseUrl: 'Change the endpoint',
  model: 'Name a model',
} as const;

/** The form again, at the field that has to be put right. */
export function correctedForm({ form, refusal }: Extract<Step, { type: 'refused' }>): Form {
  return { ...form, active: fieldNames.indexOf(refusal.field), problem: undefined };
}

/** A form with what was pasted on the first screen: an address or a key. */
export function pastedForm(text: string, defaults: Partial<Access>): Form {
  const isAddress = /^https?:\/\//i.test(text);
  const form = createForm({ ...defaults, ...(isAddress ? { baseUrl: text } : { apiKey: text }) });
  return isAddress ? { ...form, active: fieldNames.indexOf('baseUrl') } : form;
}

/** How each kind of local server is started. source: their own documentation. */
export const startingServers: readonly string[] = [
  'Ollama: "ollama serve", and a model with "ollama pull qwen3-coder". A window of 32k or more helps: OLLAMA_CONTEXT_LENGTH=32768 ollama serve',
  'LM Studio: load a model, then Developer → Start server, or "lms server start"',
  'llama.cpp: llama-server -m model.gguf --jinja -c 32768',
  'vLLM: vllm serve MODEL --enable-auto-tool-choice --tool-call-parser hermes',
];
