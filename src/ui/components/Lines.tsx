import { Text } from 'ink';

/** Painted lines, already cut to the width; nothing for none. */
export function Lines({ lines }: { readonly lines: readonly string[] }) {
  return lines.length === 0 ? null : <Text wrap="truncate">{lines.join('\n')}</Text>;
}
