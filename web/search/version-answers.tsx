import { Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { parseAskedVersion } from '../../worker/domain/query/asked-version'
import { AppLink } from '../ui/app-link'
import { Card } from '../ui/card'
import { FailedLine } from '../ui/failed-line'
import { ProductLabel } from '../ui/product-name'
import { SupportMark } from '../ui/support-mark'
import { versionAnswersQuery } from './api'
import { versionAddress } from './queries'
import classes from './search.module.css'
import { describeVersion } from './version-words'

export const useVersionAnswers = (term: string) =>
  useQuery({ ...versionAnswersQuery(term), enabled: parseAskedVersion(term) !== undefined })

type Props = { term: string; answers: ReturnType<typeof useVersionAnswers> }

/** The answer to `openssl 3.0.6`: how many vulnerabilities affect it, with the page that judges each of them. */
export function VersionAnswers({ term, answers }: Props) {
  const { data = [], error } = answers
  if (!data.length && !error) return null
  return (
    <Card title={`Version “${term.trim()}”`}>
      <ul className={classes.named}>
        {data.map((answer) => (
          <li key={`${answer.type} ${answer.id}`}>
            <Group gap="xs">
              <Text size="sm" c="dimmed" w={60}>
                {answer.type === 'product' ? 'Product' : 'Package'}
              </Text>
              <AppLink to={versionAddress(answer)} fw={600}>
                {answer.type === 'product' ? (
                  <ProductLabel vendor={answer.group} name={answer.name} />
                ) : (
                  `${answer.group}: ${answer.name}`
                )}{' '}
                {answer.version}
              </AppLink>
              <Text size="sm">{describeVersion(answer)}</Text>
              {answer.release && answer.release.state !== 'supported' && <SupportMark {...answer.release} />}
            </Group>
          </li>
        ))}
      </ul>
      {error && <FailedLine text="The vulnerabilities of this version could not be found." query={answers} />}
    </Card>
  )
}
