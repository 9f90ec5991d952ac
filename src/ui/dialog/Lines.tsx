/** Building blocks of dialogs: painted lines and a text field. */
import { Box, type DOMElement, Text } from 'ink';
import { useEffect, useRef, useState } from 'react';
import type { TextBuffer } from '../input/textBuffer.ts';
import { useLiveCursor } from '../input/useLiveCursor.ts';
import { textWidth, truncate } from '../print/width.ts';
import type { Theme } from '../theme/theme.ts';
import { fieldView } from './field.ts';

/** Renders painted lines that are already cut to the width; nothing if there are none. */
export function Lines({ lines }: { readonly lines: readonly string[] }) {
  return lines.length === 0 ? null : <Text wrap="truncate">{lines.join('\n')}</Text>;
}

interface TextFieldProps {
  readonly label: string;
  readonly buffer: TextBuffer;
  readonly width: number;
  readonly theme: Theme;
  /** Shows the terminal's cursor; true for at most one field. */
  readonly isActive: boolean;
  /** Index of the first secret character; absent if nothing is secret. */
  readonly secretFrom?: number | undefined;
  readonly placeholder?: string;
}

/** One row: a label followed by the text. The owner handles the keys. */
export function TextField(props: TextFieldProps) {
  return props.isActive ? <ActiveField {...props} /> : <Row {...props} />;
}

/** A separate component, because every mounted cursor hook sets the cursor and the last one wins. */
function ActiveField(props: TextFieldProps) {
  const element = useRef<DOMElement>(null);
  const { label, buffer, width, secretFrom } = props;
  const start = textWidth(shorten(label, width));
  const { cursor } = fieldView(buffer, width - start, secretFrom);
  useLiveCursor(element, { x: start + cursor, y: 0 });
  // Another component may release the cursor in the same commit after this one took it, so take it again.
  const [, takeAgain] = useState(0);
  useEffect(() => takeAgain(1), []);
  return (
    <Box ref={element} height={1}>
      <Row {...props} />
    </Box>
  );
}

function Row({ label, buffer, width, theme, isActive, secretFrom, placeholder = '' }: TextFieldProps) {
  const name = shorten(label, width);
  const room = width - textWidth(name);
  const { text } = fieldView(buffer, room, secretFrom);
  const body = buffer.units.length === 0 ? theme.dim(truncate(placeholder, room - 1)) : text;
  return <Text wrap="truncate">{(isActive ? theme.accent : theme.dim)(name) + body}</Text>;
}

function shorten(label: string, width: number): string {
  return truncate(label, Math.max(2, Math.floor(width / 2)));
}
