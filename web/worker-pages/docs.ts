// Starts the viewer of the API's document whose library stands before it in a page of `worker/docs`.
import './docs.css'

type Asked = { headers: Record<string, string> }
type Viewers = {
  SwaggerUIBundle?: (options: Record<string, unknown>) => void
  Redoc?: { init: (url: string, options: Record<string, unknown>, place: Element | null) => void }
}

const url = '/api/docs/openapi.json'
const isDark = findIsDark()
document.documentElement.classList.toggle('dark-mode', isDark)
addEventListener('load', () => {
  const { SwaggerUIBundle, Redoc } = window as Viewers
  SwaggerUIBundle?.({
    url,
    dom_id: '#document',
    deepLinking: true,
    displayRequestDuration: true,
    docExpansion: 'none',
    filter: true,
    validatorUrl: null,
    requestInterceptor: nameToken,
  })
  Redoc?.init(
    url,
    { theme: isDark ? dark : light, nativeScrollbars: true, hideDownloadButton: true, scrollYOffset: 'body > header' },
    document.querySelector('#document'),
  )
})

function findIsDark() {
  const chosen = readChosen()
  if (chosen === 'dark' || chosen === 'light') return chosen === 'dark'
  return matchMedia('(prefers-color-scheme: dark)').matches
}

function readChosen() {
  try {
    return localStorage.getItem('mantine-color-scheme-value')
  } catch {
    return 'auto'
  }
}

/** Adds the scheme to a bare token: three parts are a JWT, anything else is an API token. */
function nameToken(request: Asked) {
  const token = (request.headers.Authorization ?? '').trim()
  if (token && !/\s/.test(token))
    request.headers.Authorization = `${token.split('.').length === 3 ? 'JWT' : 'Token'} ${token}`
  return request
}

const light = { colors: { primary: { main: '#1d4f61' } } }
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
  schema: {
    linesColor: '#5a646d',
    typeNameColor: '#a9b0b7',
    requireLabelColor: '#ff8f8f',
    nestedBackground: '#14171a',
  },
  typography: { code: { color: '#d5d9dc', backgroundColor: '#2a3036' } },
  sidebar: { backgroundColor: '#14171a', textColor: '#d5d9dc' },
}
