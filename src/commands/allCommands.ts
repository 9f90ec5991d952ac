import { compact, uncompact } from './compact.ts';
import { config } from './config.ts';
import { context } from './context.ts';
import { copy } from './copy.ts';
import { cost } from './cost/cost.ts';
import { exportCommand } from './export.ts';
import { agents } from './extensions/agents.ts';
import { hooks } from './extensions/hooks.ts';
import { lsp } from './extensions/lsp.ts';
import { mcp } from './extensions/mcp.ts';
import { plugin } from './extensions/plugin.ts';
import { skills } from './extensions/skills.ts';
import { help } from './help.ts';
import { init } from './init.ts';
import { memory } from './memory.ts';
import { effort, model } from './model.ts';
import { addDir } from './permissions/addDir.ts';
import { audit } from './permissions/audit.ts';
import { permissions } from './permissions/permissions.ts';
import { diff, rewind } from './rewind/rewind.ts';
import { keys, statusline, theme, vim } from './screen.ts';
import { clear, exit, fork, rename, resume } from './sessions.ts';
import { doctor, status } from './status.ts';
import { tasks } from './tasks.ts';
import { todos } from './todos.ts';
import type { Command } from './types.ts';

/** Every built-in command, in the order of `/help`. */
export const allCommands: readonly Command[] = [
  help,
  compact,
  uncompact,
  rewind,
  diff,
  resume,
  rename,
  fork,
  exportCommand,
  copy,
  clear,
  model,
  effort,
  context,
  memory,
  skills,
  agents,
  tasks,
  todos,
  mcp,
  plugin,
  hooks,
  lsp,
  init,
  status,
  doctor,
  cost,
  permissions,
  addDir,
  audit,
  config,
  keys,
  vim,
  theme,
  statusline,
  exit,
];
