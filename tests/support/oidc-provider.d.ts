declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

  type Grant = { addOIDCScope(scope: string): void; save(): Promise<string> }
  type Context = { oidc: { session: { accountId: string }; client: { clientId: string }; provider: Provider } }
  type Interaction = { params: { login_hint?: string } }

  export class Provider {
    constructor(issuer: string, configuration: object)
    Client: { prototype: object }
    Grant: new (given: { accountId: string; clientId: string }) => Grant
    callback(): RequestListener
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>
  }
  export type { Context }
}
