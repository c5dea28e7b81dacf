// Plain browser code in strings, as the policy of a page names their hashes.

const isDark = String.raw`(() => {
  const readChosen = () => {
    try {
      return localStorage.getItem('mantine-color-scheme-value')
    } catch {
      return 'auto'
    }
  }
  const chosen = readChosen()
  if (chosen === 'dark' || chosen === 'light') return chosen === 'dark'
  return matchMedia('(prefers-color-scheme: dark)').matches
})()`

/** Adds the scheme to a bare token: three parts are a JWT, anything else is an API token. */
export const swaggerScript = String.raw`
document.documentElement.classList.toggle('dark-mode', ${isDark})
const withWord = (token) => (token.split('.').length === 3 ? 'JWT ' : 'Token ') + token
window.onload = () => {
  SwaggerUIBundle({
    url: '/api/docs/openapi.json',
    dom_id: '#document',
    deepLinking: true,
    displayRequestDuration: true,
    docExpansion: 'none',
    filter: true,
    validatorUrl: null,
    requestInterceptor: (request) => {
      const token = (request.headers.Authorization || '').trim()
      if (token && !/\s/.test(token)) request.headers.Authorization = withWord(token)
      return request
    },
  })
}
`

export const redocScript = String.raw`
const isDark = ${isDark}
document.documentElement.classList.toggle('dark-mode', isDark)
const dark = {
  colors: {
    primary: { main: '#92bcc9' },
    success: { main: '#7ed491' },
    error: { main: '#ff8f8f' },
    text: { primary: '#d5d9dc', secondary: '#a9b0b7' },
    border: { dark: '#343a40', light: '#343a40' },
    responses: {
      success: { color: '#7ed491', backgroundColor: '#1b2b20' },
      error: { color: '#ff8f8f', backgroundColor: '#2e1f20' },
    },
  },
  schema: { linesColor: '#5a646d', typeNameColor: '#a9b0b7', requireLabelColor: '#ff8f8f', nestedBackground: '#14171a' },
  typography: { code: { color: '#d5d9dc', backgroundColor: '#2a3036' } },
  sidebar: { backgroundColor: '#14171a', textColor: '#d5d9dc' },
}
const light = { colors: { primary: { main: '#1d4f61' } } }
window.onload = () => {
  const options = {
    theme: isDark ? dark : light,
    nativeScrollbars: true,
    hideDownloadButton: true,
    scrollYOffset: 'body > header',
  }
  Redoc.init('/api/docs/openapi.json', options, document.getElementById('document'))
}
`

/** The hash of the style that ReDoc writes for its scroll bars; the page's test fails when it changes. */
export const redocStyleHash = "'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc='"

export const documentStyles = `
:root { --text: #1c2126; --body: #fff; --line: #dde2e5; --link: #1d4f61; --positive: #1b6e45; color-scheme: light; }
:root.dark-mode { --text: #d5d9dc; --body: #1c2022; --line: #343a40; --link: #92bcc9; --positive: #7ed491; color-scheme: dark; }
body {
  margin: 0; background: var(--body);
  font: 0.9375rem/1.5 -apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif;
}
body > header {
  position: sticky; top: 0; z-index: 10; display: flex; flex-wrap: wrap; align-items: center; gap: 8px 24px;
  padding: 10px 16px; border-bottom: 1px solid var(--line); background: var(--body); color: var(--text);
}
body > header nav { display: flex; flex-wrap: wrap; gap: 8px 16px; }
body > header a { color: var(--link); }
body > header .brand { display: inline-flex; align-items: center; gap: 8px; color: inherit; font-weight: 650; text-decoration: none; }
body > header [aria-current] { color: inherit; font-weight: 600; text-decoration: none; }
body > header a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
:root.dark-mode #document h5 { color: #a9b0b7; border-color: var(--line); }
.swagger-ui .information-container .info { margin: 24px 0; }
.swagger-ui .info .title small, .swagger-ui .info .title small.version-stamp { background: #4d5660; }
.swagger-ui .info .title small.version-stamp { background: #4a6b00; }
.swagger-ui .info a, .swagger-ui .info .base-url, .swagger-ui .info__contact a { color: var(--link); }
.swagger-ui .btn.authorize { border-color: var(--positive); color: var(--positive); }
.swagger-ui .btn.authorize svg { fill: var(--positive); }
`
