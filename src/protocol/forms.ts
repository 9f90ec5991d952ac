/**
 * Forms: questions to the user as plain data, from the model or from an MCP server. A permission question carries one
 * as its preview. All texts are untrusted.
 */

export interface Form {
  readonly fields: readonly FormField[];
  /** Shown above the questions. */
  readonly message?: string;
  /** An address that the user is asked to open; absolute, as `URL` writes it. */
  readonly link?: string;
  /** The choices of the last page; absent = as for the model's questions, where a single question needs no such page. */
  readonly review?: readonly ReviewChoice[];
}

/** True for a form of an MCP server: its texts must not pass for those of the program. */
export const isOfServer = ({ review }: Form): boolean => review !== undefined;

export interface ReviewChoice {
  readonly label: string;
  readonly sends: boolean;
  /** Returned with the answer, to tell choices apart. */
  readonly name?: string;
}

export type FormField = ChoiceField | TextField;

interface FieldHead {
  /** A word or two that replace the question where space is tight. */
  readonly header: string;
  readonly question: string;
  readonly isRequired?: boolean;
}

/** A question with prepared answers. */
export interface ChoiceField extends FieldHead {
  readonly type: 'choice';
  readonly options: readonly FormOption[];
  /** Several options may be chosen. */
  readonly isMultiple: boolean;
  /** The user may also answer in their own words. */
  readonly hasOwnAnswer: boolean;
  /** Chosen from the start. */
  readonly chosen?: readonly number[];
  /** How many options must and may be chosen of several. */
  readonly minChosen?: number;
  readonly maxChosen?: number;
}

export interface FormOption {
  readonly label: string;
  readonly description?: string;
  /** A mockup, code or comparison, shown while the option is selected. */
  readonly preview?: string;
}

/** A question that is answered by typing. */
interface TextField extends FieldHead {
  readonly type: 'text';
  readonly holds: 'text' | 'number' | 'integer';
  /** The text from the start. */
  readonly initial?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly format?: TextFormat;
}

export const textFormats = ['email', 'uri', 'date', 'date-time'] as const;
type TextFormat = (typeof textFormats)[number];

/** The answer to one field; nothing chosen and no text = not answered. */
export interface FieldAnswer {
  /** Indices of the chosen options, in their order. */
  readonly chosen: readonly number[];
  /** What the user typed; for a choice, instead of an option or in addition. */
  readonly text?: string;
}

export const isAnswered = (answer: FieldAnswer | undefined): boolean =>
  answer !== undefined && (answer.chosen.length > 0 || answer.text !== undefined);

/** The answer in words: the chosen labels, then what the user typed; empty if the field was not answered. */
export function answerText(field: FormField, answer: FieldAnswer | undefined): string {
  if (answer === undefined) return '';
  const options = field.type === 'choice' ? field.options : [];
  const labels = answer.chosen.flatMap((index) => options[index]?.label ?? []);
  return [...labels, ...(answer.text === undefined ? [] : [answer.text])].join('; ');
}

/** Why an answer cannot be sent, as a sentence; undefined if it can. */
export function problemWith(field: FormField, answer: FieldAnswer | undefined): string | undefined {
  if (answer === undefined || !isAnswered(answer))
    return field.isRequired === true ? 'An answer is needed.' : undefined;
  if (field.type === 'text') return problemWithText(field, answer.text ?? '');
  const { minChosen = 0, maxChosen = field.options.length } = field;
  const many = answer.chosen.length;
  if (many < minChosen) return `Choose at least ${minChosen}.`;
  return many > maxChosen ? `Choose at most ${maxChosen}.` : undefined;
}

function problemWithText(field: TextField, text: string): string | undefined {
  const { holds, minimum, maximum, minLength, maxLength, format } = field;
  if (holds !== 'text') {
    const value = numberIn(text);
    if (value === undefined) return 'This needs a number.';
    if (holds === 'integer' && !Number.isInteger(value)) return 'This needs a whole number.';
    if (minimum !== undefined && value < minimum) return `At least ${minimum}.`;
    return maximum !== undefined && value > maximum ? `At most ${maximum}.` : undefined;
  }
  const { length } = [...text];
  if (minLength !== undefined && length < minLength) return `At least ${minLength} characters.`;
  if (maxLength !== undefined && length > maxLength) return `At most ${maxLength} characters.`;
  return format === undefined || isOfFormat[format](text) ? undefined : `This needs ${formatNames[format]}.`;
}

/** The number that a text writes; decimals with a point. */
export function numberIn(text: string): number | undefined {
  const value = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text.trim()) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}

/** What a field of this format needs. */
const formatNames: Readonly<Record<TextFormat, string>> = {
  email: 'an e-mail address',
  uri: 'an address such as https://example.com',
  date: 'a date such as 2026-11-23',
  'date-time': 'a date and time such as 2026-11-23T09:30:00Z',
};

const isOfFormat: Readonly<Record<TextFormat, (text: string) => boolean>> = {
  email: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  uri: (text) => URL.canParse(text),
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && isDate(text),
  'date-time': (text) =>
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i.test(text) &&
    isDate(text.slice(0, 10)) &&
    !Number.isNaN(Date.parse(text)),
};

/** `Date` takes February 30 for March 2. */
function isDate(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
