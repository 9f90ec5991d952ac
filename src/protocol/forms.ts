/** Forms: questions to the user with prepared answers, as plain data. A permission question carries one as its preview. */

/** One question of a form. All texts are untrusted. */
export interface FormField {
  /** A word or two that stand for the question where there is little room. */
  readonly header: string;
  readonly question: string;
  readonly options: readonly FormOption[];
  /** Several options may be chosen. */
  readonly isMultiple: boolean;
}

export interface FormOption {
  readonly label: string;
  readonly description?: string;
  /** A mockup, code or comparison, shown while the option is selected. */
  readonly preview?: string;
}

export interface Form {
  readonly fields: readonly FormField[];
}

/** The answer to one field; nothing chosen and no text = not answered. */
export interface FieldAnswer {
  /** Indices of the chosen options, in their order. */
  readonly chosen: readonly number[];
  /** What the user typed instead of an option, or in addition. */
  readonly text?: string;
}

/** The answer in words: the chosen labels, then what the user typed; empty if the field was not answered. */
export function answerWords({ options }: FormField, answer: FieldAnswer | undefined): string {
  if (answer === undefined) return '';
  const labels = answer.chosen.flatMap((index) => options[index]?.label ?? []);
  return [...labels, ...(answer.text === undefined ? [] : [answer.text])].join('; ');
}
