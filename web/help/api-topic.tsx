import { Anchor, Code } from '@mantine/core'
import { AppLink } from '../ui/app-link'

export const apiTopic = {
  title: 'REST API',
  words: 'swagger redoc openapi token jwt curl script client rate limit throttle',
  body: (
    <>
      <p>
        Every screen uses the API, and your scripts can use it, too: try it with{' '}
        <Anchor href="/api/docs/swagger/">Swagger UI</Anchor>, read it with{' '}
        <Anchor href="/api/docs/redoc/">ReDoc</Anchor>, or take the{' '}
        <Anchor href="/api/docs/openapi.json">OpenAPI</Anchor> document.
      </p>
      <p>
        Send <Code>Authorization: Token &lt;API token&gt;</Code> with each call; tokens are made in{' '}
        <AppLink to="/settings">Settings → Profile</AppLink>. Or sign in at{' '}
        <Code>/api/public/jwt-auth/obtain-token/</Code> and send <Code>Authorization: JWT &lt;access&gt;</Code>, which
        lasts for minutes and is renewed at <Code>/api/public/jwt-auth/refresh-token/</Code>.
      </p>
      <p>
        Lists answer <Code>count</Code>, <Code>next</Code>, <Code>previous</Code> and <Code>results</Code>; follow{' '}
        <Code>next</Code> until it is null. Too many calls are answered with 429 and <Code>Retry-After</Code>.
      </p>
    </>
  ),
}
