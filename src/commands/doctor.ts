import { doctorPage } from './pages/doctorPage.ts';
import type { Command } from './types.ts';

/** Says what is there and what is missing, without disturbing the session. */
export const doctor: Command = {
  name: 'doctor',
  aliases: [],
  description: 'check terminal, files, endpoint, model',
  run: async (_args, host) => ({ type: 'page', page: doctorPage(await host.doctor()) }),
};
