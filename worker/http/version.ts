import type { Env } from '../env'

// S2, section 1: what an installation that is not told shows.
const unnamed = '1.0.0-RC1'

export const appVersion = ({ APP_VERSION = unnamed }: Pick<Env, 'APP_VERSION'>) => APP_VERSION
