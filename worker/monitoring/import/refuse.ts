import { Failure } from '../../http/errors'

/** What is wrong with a file that somebody sent. */
export const refuse = (message: string) => new Failure(400, 'invalid', message)
