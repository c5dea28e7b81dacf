import { mutationOptions } from '@tanstack/react-query'
import { signIn } from '../session/sign-in'

export const signInMutation = mutationOptions({
  mutationFn: signIn,
  meta: { failure: (error) => error.message },
})
