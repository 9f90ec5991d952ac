/** Rounds: a user message and everything up to the next one. */

/** How many rounds a list holds. */
export function estimateRounds(messages: readonly { readonly role: string }[]): number {
  return findRoundBoundaries(messages).length;
}

/** Index of the message that starts each round: `[user, assistant, tool, user, assistant]` → `[0, 3]`. */
export function findRoundBoundaries(messages: readonly { readonly role: string }[]): number[] {
  return messages.flatMap((message, index) => (message.role === 'user' ? [index] : []));
}
