import { mfaAccountRoutes } from './mfa-routes'
import { passkeyRoutes } from './passkey-routes'
import { profileRoutes } from './profile-routes'
import { sessionRoutes } from './session-routes'
import { tokenRoutes } from './token-routes'

export const accountRoutes = [...profileRoutes, ...mfaAccountRoutes, ...passkeyRoutes, ...sessionRoutes, ...tokenRoutes]
