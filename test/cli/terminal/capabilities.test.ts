import { expect, test } from 'vitest';
import { terminalReflow } from '../../../src/cli/terminal/capabilities.ts';

test.each([
  [{ TERM_PROGRAM: 'vscode', TERM: 'xterm-256color' }, 'xterm_js'],
  [{ TERM_PROGRAM: 'tmux', TMUX: '/tmp/tmux', VTE_VERSION: '7000' }, 'all'],
  [{ TMUX: '/tmp/tmux', XTERM_VERSION: 'XTerm(390)' }, 'all'],
  [{ STY: '1.pts', TERM_PROGRAM: 'iTerm.app' }, 'none'],
  [{ XTERM_VERSION: 'XTerm(390)' }, 'none'],
  [{ TERM: 'linux' }, 'none'],
  [{ TERM_PROGRAM: 'iTerm.app' }, 'all'],
  [{ VTE_VERSION: '7000' }, 'all'],
  [{ WT_SESSION: 'x' }, 'all'],
  [{ TERM: 'xterm-256color', SSH_TTY: '/dev/pts/0' }, 'unknown'],
] as const)('%j: %s', (env, reflow) => {
  expect(terminalReflow(env)).toBe(reflow);
});
