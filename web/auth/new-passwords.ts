import { z } from 'zod'
import { NewPassword } from '../../worker/domain/password'

export const NewPasswords = z
  .object({ password: NewPassword, password_confirm: z.string() })
  .refine(({ password, password_confirm }) => password === password_confirm, {
    path: ['password_confirm'],
    message: 'Password mismatch.',
  })
