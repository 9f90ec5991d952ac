import { Box, useInput, usePaste } from 'ink';
import { type Command, commandsOf } from '../input/keys.ts';
import { applyEdit } from '../input/textBuffer.ts';
import { wrapText } from '../print/spans.ts';
import type { Theme } from '../theme.ts';
import type { OnboardingResult } from '../types.ts';
import { type Choice, choiceLines, choiceOfCharacter } from './choices.ts';
import { fieldInput } from './field.ts';
import { Lines } from './Lines.tsx';
import {
  checkForm,
  createForm,
  type FieldName,
  type Form,
  fieldNames,
  type OnboardingDefaults,
} from './onboardingForm.ts';
import { ruled } from './permissionLayout.ts';
import { TextField } from './TextField.tsx';
import { useLatest } from './useLatest.ts';

export interface OnboardingProps {
  /** What went wrong with the last answer. */
  readonly message?: string | undefined;
  readonly defaults?: OnboardingDefaults;
  /** Where the key will be kept, as shown to people. */
  readonly savedTo?: string;
  readonly width: number;
  readonly rows: number;
  readonly theme: Theme;
  readonly isActive?: boolean;
  readonly onDone: (result: OnboardingResult) => void;
}

interface State {
  readonly selected: number;
  readonly form: Form | undefined;
}

const choices: readonly Choice[] = [
  { label: 'Enter a key and an endpoint', detail: 'any OpenAI-compatible server, local ones included' },
  { label: 'Try the demo model', detail: 'built in, no network, no key; does a few things for real' },
  { label: 'Quit' },
];
const labels: Readonly<Record<FieldName, string>> = {
  baseUrl: 'Endpoint: ',
  apiKey: 'Key:      ',
  model: 'Model:    ',
};

/** With nothing configured: a key and endpoint, or the demo model, or leave. */
export function Onboarding(props: OnboardingProps) {
  const { message, defaults = {}, savedTo, width, rows, theme, isActive = true, onDone } = props;
  const [state, latest, set] = useLatest<State>(() => ({ selected: 0, form: undefined }));

  const take = (index: number): void => {
    if (index === 0) set({ selected: 0, form: createForm(defaults) });
    else onDone({ type: index === 1 ? 'demo' : 'quit' });
  };
  const onChoice = (command: Command, selected: number): void => {
    if (command.type === 'up' || command.type === 'down') {
      const by = command.type === 'up' ? choices.length - 1 : 1;
      set({ selected: (selected + by) % choices.length, form: undefined });
    } else if (command.type === 'enter') take(selected);
    else if (command.type === 'escape' || command.type === 'intent' || command.type === 'delete_or_eof')
      onDone({ type: 'quit' });
    else if (command.type === 'edit' && command.edit.type === 'insert') {
      const index = choiceOfCharacter(choices, command.edit.text);
      if (index !== undefined) take(index);
    }
  };
  const onField = (command: Command, form: Form): void => {
    const step = (by: number) =>
      setForm({ ...form, active: (form.active + by + fieldNames.length) % fieldNames.length });
    const isLast = form.active === fieldNames.length - 1;
    if (command.type === 'escape') set({ selected: 0, form: undefined });
    else if (command.type === 'intent') command.intent === 'cycle_mode' ? step(-1) : onDone({ type: 'quit' });
    else if (command.type === 'up') step(-1);
    else if (command.type === 'down' || command.type === 'tab' || (command.type === 'enter' && !isLast))
      step(1);
    else if (command.type === 'enter') submit(form);
    else if (command.type === 'edit') edit(form, command.edit);
  };
  const setForm = (form: Form): void => set({ selected: 0, form });
  const edit = (form: Form, change: Parameters<typeof applyEdit>[1]): void => {
    const name = fieldNames[form.active] ?? 'model';
    const clean = change.type === 'insert' ? { ...change, text: fieldInput(change.text) } : change;
    setForm({
      ...form,
      fields: { ...form.fields, [name]: applyEdit(form.fields[name], clean) },
      problem: undefined,
    });
  };
  const submit = (form: Form): void => {
    const result = checkForm(form);
    if (result.type === 'ok') onDone({ ...result, type: 'credentials' });
    else setForm({ ...form, active: fieldNames.indexOf(result.field), problem: result.message });
  };
  useInput(
    (input, key) => {
      for (const command of commandsOf(input, key)) {
        const { selected, form } = latest();
        if (form === undefined) onChoice(command, selected);
        else onField(command, form);
      }
    },
    { isActive },
  );
  usePaste(
    (text) => {
      const { form } = latest();
      if (form !== undefined) edit(form, { type: 'insert', text: fieldInput(text).trim() });
    },
    { isActive },
  );

  const { form, selected } = state;
  const problem = form?.problem ?? message;
  const head = [
    ruled('Welcome to ClawdCode', width, theme),
    ...(problem === undefined ? [] : wrapText(problem, width, theme.error).slice(0, 3)),
  ];
  if (form === undefined)
    return <Lines lines={[...head, ...choiceLines(choices, selected, width, theme)].slice(0, rows)} />;
  const kept = savedTo === undefined ? '' : `The key is kept in ${savedTo}, readable by you alone. `;
  const hint = wrapText(`${kept}Enter goes on · Tab next · Esc back`, width, theme.dim);
  return (
    <Box flexDirection="column">
      <Lines lines={head.slice(0, Math.max(0, rows - fieldNames.length - hint.length))} />
      {fieldNames.map((name, index) => (
        <TextField
          key={name}
          label={labels[name]}
          buffer={form.fields[name]}
          width={width}
          theme={theme}
          isActive={isActive && form.active === index}
          isMasked={name === 'apiKey'}
          placeholder={name === 'model' ? 'leave it empty to take one that the endpoint offers' : ''}
        />
      ))}
      <Lines lines={hint} />
    </Box>
  );
}
