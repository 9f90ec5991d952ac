import { Box, Text } from 'ink';
import type { Popup } from './composerState.ts';
import type { ComposerTheme } from './composerTheme.ts';

const maxVisible = 8;

/** The completion popup: at most eight suggestions around the selected one. */
export function SuggestionList({
  popup,
  maxRows,
  theme,
}: {
  readonly popup: Popup;
  readonly maxRows: number;
  readonly theme: ComposerTheme;
}) {
  const height = Math.min(maxVisible, Math.max(maxRows, 1));
  const count = popup.suggestions.length;
  const middle = popup.selected - Math.floor(height / 2);
  const top = Math.max(0, Math.min(middle, count - height));
  const visible = popup.suggestions.slice(top, top + height);
  const labelWidth = Math.max(...visible.map((suggestion) => suggestion.label.length));
  return (
    <Box flexDirection="column" paddingLeft={2}>
      {visible.map((suggestion, index) => {
        const isSelected = top + index === popup.selected;
        const description = suggestion.description ?? '';
        const label = description === '' ? suggestion.label : suggestion.label.padEnd(labelWidth + 2);
        // The sign tells the selected one where there is no colour.
        const painted = isSelected ? theme.accent(`› ${label}`) : `  ${label}`;
        return (
          <Text key={suggestion.label} wrap={description === '' ? 'truncate-middle' : 'truncate'}>
            {painted + theme.dim(description)}
          </Text>
        );
      })}
    </Box>
  );
}
