/** Golden screens of the first minute: light and dark, in 20, 80 and 200 columns, with names in other scripts. */
import { expect, test } from 'vitest';
import { Onboarding } from '../../../src/ui/onboarding/Onboarding.tsx';
import type { FoundServer, SetupPort } from '../../../src/ui/onboarding/SetupPort.ts';
import { chooseTheme } from '../../../src/ui/theme/theme.ts';
import { goldenScreen } from '../../e2e/support/goldenScreen.ts';
import { createClock, mount, plain } from '../mount.tsx';
import { keys } from '../screen.ts';

const found: readonly FoundServer[] = [
  {
    name: 'Ollama',
    baseUrl: 'http://127.0.0.1:11434/v1',
    state: {
      type: 'models',
      models: [
        { id: 'qwen3-coder:30b', windowTokens: 65_536, tools: true, loaded: true },
        { id: 'モデル👩‍💻-7b', maxWindowTokens: 131_072, tools: true, vision: true },
        { id: 'نموذج-7b', tools: true },
        { id: 'phi4', tools: false },
      ],
    },
  },
  { name: 'vLLM', baseUrl: 'http://127.0.0.1:8000/v1', state: { type: 'wants_key' } },
];
const setup: SetupPort = {
  search: async () => found,
  refine: async (servers) => servers,
  check: async () => ({
    type: 'refused',
    field: 'apiKey',
    message:
      'https://openrouter.ai/api/v1 rejected the API key. It said: "No auth credentials found". Check the key (OPENAI_API_KEY or "apiKey") and whether it may use this model.',
  }),
  defaults: {},
  savedTo: '~/.clawdcode/config.json',
};
const dark = chooseTheme('dark', { noColor: false, term: 'xterm-256color', colorTerm: 'truecolor' });
const light = chooseTheme('light', { noColor: false, term: 'xterm-256color', colorTerm: 'truecolor' });

test.each([
  ['20', 20, 18, plain],
  ['80-dark', 80, 24, dark],
  ['80-light', 80, 24, light],
  ['200', 200, 30, plain],
] as const)('in %s', async (name, columns, rows, theme) => {
  const clock = createClock();
  const { screen } = await mount(
    <Onboarding
      setup={setup}
      width={columns}
      rows={rows - 3}
      theme={theme}
      now={clock.now}
      onDone={() => {}}
    />,
    { columns, rows },
  );
  const styles = theme !== plain;
  const see = (step: string): Promise<void> => goldenScreen(screen, `onboarding/${step}-${name}`, { styles });
  await screen.waitFor((shown) => shown.join(' ').includes('Found on'));
  clock.pass(250);
  await see('choices');
  await screen.press('m');
  await see('models');
  await screen.press(keys.escape);
  clock.pass(250);
  await screen.press(keys.paste('sk-or-v1-secret'));
  await see('key');
  await screen.press(keys.enter, keys.enter);
  await see('refused');
  expect(screen.output()).not.toContain('secret');
});
