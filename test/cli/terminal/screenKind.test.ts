import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { screenKind } from '../../../src/cli/terminal/screenKind.ts';
import { temporaryFolder, temporaryFolderOfFile } from '../../temporaryFolder.ts';

type ScreenFlags = Parameters<typeof screenKind>[0];

const both = { stdinIsTerminal: true, stdoutIsTerminal: true };
const pipedIn = { stdinIsTerminal: false, stdoutIsTerminal: true };
const pipedOut = { stdinIsTerminal: true, stdoutIsTerminal: false };
const none = { stdinIsTerminal: false, stdoutIsTerminal: false };
const nothing: ScreenFlags = { screenReader: false, hasPrompt: false };
const xterm = { TERM: 'xterm-256color' };
const data = temporaryFolderOfFile();

test.each([
  { why: 'a terminal', wishes: nothing, streams: both, env: xterm, kind: 'screen' },
  { why: 'a dumb one', wishes: nothing, streams: both, env: { TERM: 'dumb' }, kind: 'linear' },
  { why: 'one that says nothing of itself', wishes: nothing, streams: both, env: {}, kind: 'linear' },
  {
    why: 'a screen reader in the environment',
    wishes: nothing,
    streams: both,
    env: { ...xterm, INK_SCREEN_READER: 'true' },
    kind: 'linear',
  },
  {
    why: 'the flag, also on pipes',
    wishes: { ...nothing, screenReader: true },
    streams: none,
    env: {},
    kind: 'linear',
  },
  { why: 'a prompt that is piped in', wishes: nothing, streams: pipedIn, env: xterm, kind: 'print' },
  { why: 'no terminal at all', wishes: nothing, streams: none, env: {}, kind: 'print' },
  {
    why: 'an answer that is piped out',
    wishes: { ...nothing, hasPrompt: true },
    streams: pipedOut,
    env: xterm,
    kind: 'print',
  },
  { why: 'nothing asked, and nowhere to ask', wishes: nothing, streams: pipedOut, env: xterm, kind: 'none' },
])('$why: $kind', async ({ wishes, streams, env, kind }) => {
  expect((await screenKind(wishes, streams, env, data)).type).toBe(kind);
});

test('only a terminal that can move its cursor edits the line with cursor keys', async () => {
  const asked = { ...nothing, screenReader: true };
  expect(await screenKind(asked, both, xterm, data)).toEqual({ type: 'linear', isEditing: true });
  expect(await screenKind(asked, both, { TERM: 'dumb' }, data)).toEqual({ type: 'linear', isEditing: false });
  expect(await screenKind(asked, none, xterm, data)).toEqual({ type: 'linear', isEditing: false });
});

test.each([
  { config: '{"screenReader": true}', kind: 'linear' },
  { config: '{"screenReader": false}', kind: 'screen' },
  { config: '{"context": {"screenReader": true}}', kind: 'screen' },
  { config: '{"screenReader": true', kind: 'screen' },
  { config: '{\n  // for my reader\n  "screenReader": true,\n}', kind: 'linear' },
])('settings $config: $kind', async ({ config, kind }) => {
  const own = temporaryFolder();
  writeFileSync(join(own, 'config.json'), config);
  expect((await screenKind(nothing, both, xterm, own)).type).toBe(kind);
});
