import { sendFile, sendJson, sendText } from './answer.ts'
import { answerApi } from './nvd-api.ts'
import { describeYearFile, findYearFile } from './nvd-year.ts'
import type { MirrorRoute } from './route.ts'

export const nvdMirror: MirrorRoute[] = [
  {
    pattern: /^\/nvd\/feeds\/nvdcve-2\.0-(\d{4})\.(json\.gz|meta)$/,
    async answer({ folder, cache, match, request, response }) {
      const path = await findYearFile(folder, cache, Number(match[1]))
      if (match[2] === 'meta') return sendText(response, await describeYearFile(path))
      return sendFile(request, response, { path, type: 'application/gzip' })
    },
  },
  {
    pattern: /^\/nvd\/rest\/json\/cves\/2\.0$/,
    answer: async ({ folder, url, response }) => sendJson(response, await answerApi(folder, url.searchParams)),
  },
]
