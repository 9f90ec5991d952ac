import { audit } from './audit.ts';
import { clear } from './clear.ts';
import { compact } from './compact.ts';
import { context } from './context.ts';
import { copy } from './copy.ts';
import { cost } from './cost.ts';
import { diff } from './diff.ts';
import { doctor } from './doctor.ts';
import { exit } from './exit.ts';
import { exportCommand } from './export.ts';
import { fork } from './fork.ts';
import { help } from './help.ts';
import { init } from './init.ts';
import { keys } from './keys.ts';
import { memory } from './memory.ts';
import { model } from './model.ts';
import { permissions } from './permissions.ts';
import { rename } from './rename.ts';
import { resume } from './resume.ts';
import { rewind } from './rewind.ts';
import { status } from './status.ts';
import { statusline } from './statusline.ts';
import { tasks } from './tasks.ts';
import { theme } from './theme.ts';
import type { Command } from './types.ts';
import { uncompact } from './uncompact.ts';
import { vim } from './vim.ts';

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
  context,
  memory,
  tasks,
  init,
  status,
  doctor,
  cost,
  permissions,
  audit,
  keys,
  vim,
  theme,
  statusline,
  exit,
];
