import { Failure } from '../../http/errors'

export const refuse = (message: string) => new Failure(400, 'invalid', message)
