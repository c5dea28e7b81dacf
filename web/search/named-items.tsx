import { Group, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { IconEyePlus } from '@tabler/icons-react'
import { parseAskedVersion } from '../../worker/domain/query/asked-version'
import { plural } from '../lib/format'
import { AppLink } from '../ui/app-link'
import { Card } from '../ui/card'
import { FailedLine } from '../ui/failed-line'
import { ProductLabel } from '../ui/product-name'
import { WatchToggle } from '../watchlist/watch-toggle'
import { awaitMutation, namedQueries, versionAddress, versionAnswersQuery } from './queries'
import classes from './search.module.css'
import { SupportMark } from '../ui/support-mark'
import { describeVersion } from './version-words'
import { EmptyState } from '../ui/empty-state'
import type { WatchLine } from './watch-line'
import { WriteButton } from '../session/write-button'

export function useNamed(term: string) {
  const queries = namedQueries(term)
  const [vendors, products] = [useQuery(queries.vendors), useQuery(queries.products)]
  return {
    isLoading: vendors.isLoading || products.isLoading,
    vendor: vendors.data?.results.find(isWorthShowing),
    products: (products.data?.results ?? []).filter(isWorthShowing),
    failed: [vendors, products].find(({ error }) => error),
  }
}

/** Hides names that no source uses any more: monitoring one would find nothing. */
const isWorthShowing = ({ vulns_count, monitored }: { vulns_count: number; monitored: boolean }) =>
  vulns_count > 0 || monitored

type Props = { term: string; named: ReturnType<typeof useNamed> }

export function NamedItems({ term, named: { vendor, products, failed } }: Props) {
  if (!vendor && products.length === 0 && !failed) return null
  return (
    <Card title={`Named “${term.trim()}”`}>
      <ul className={classes.named}>
        {vendor && (
          <Item
            kind="Vendor"
            to={`/vendor/${vendor.id}`}
            name={<ProductLabel name={vendor.name} />}
            facts={plural(vendor.vulns_count, 'vulnerability', 'vulnerabilities')}
          >
            <WatchToggle kind="vendor" item={vendor} name={vendor.name} inWords />
          </Item>
        )}
        {products.map((product) => (
          <Item
            key={product.id}
            kind="Product"
            to={`/product/${product.id}`}
            name={<ProductLabel vendor={product.vendor} name={product.name} />}
            facts={plural(product.vulns_count, 'vulnerability', 'vulnerabilities')}
          >
            <WatchToggle kind="product" item={product} name={product.name} inWords />
          </Item>
        ))}
      </ul>
      {failed && <FailedLine text="Vendors and products could not be looked up." query={failed} />}
    </Card>
  )
}

type ItemProps = { kind: string; to: string; name: ReactNode; facts: string; children: ReactNode }

const Item = ({ kind, to, name, facts, children }: ItemProps) => (
  <li>
    <Group>
      <Text size="sm" c="dimmed" w={60}>
        {kind}
      </Text>
      <AppLink to={to} fw={600}>
        {name}
      </AppLink>
      <Text size="sm">{facts}</Text>
      {children}
    </Group>
  </li>
)

export const useVersionAnswers = (term: string) =>
  useQuery({ ...versionAnswersQuery(term), enabled: parseAskedVersion(term) !== undefined })

type VersionAnswersProps = { term: string; answers: ReturnType<typeof useVersionAnswers> }

/** The answer to `openssl 3.0.6`: how many vulnerabilities affect it, with the page that judges each of them. */
export function VersionAnswers({ term, answers }: VersionAnswersProps) {
  const { data = [], error } = answers
  if (!data.length && !error) return null
  return (
    <Card title={`Version “${term.trim()}”`}>
      <ul className={classes.named}>
        {data.map((answer) => (
          <Item
            key={`${answer.type} ${answer.id}`}
            kind={answer.type === 'product' ? 'Product' : 'Package'}
            to={versionAddress(answer)}
            name={
              <>
                {answer.type === 'product' ? (
                  <ProductLabel vendor={answer.group} name={answer.name} />
                ) : (
                  `${answer.group}: ${answer.name}`
                )}{' '}
                {answer.version}
              </>
            }
            facts={describeVersion(answer)}
          >
            {answer.release && answer.release.state !== 'supported' && <SupportMark {...answer.release} />}
          </Item>
        ))}
      </ul>
      {error && <FailedLine text="The vulnerabilities of this version could not be found." query={answers} />}
    </Card>
  )
}

/** People may search for a name before any source has it. */
export function UnknownName({ line }: { line: WatchLine }) {
  const { isPending, isSuccess, mutate } = useMutation(awaitMutation)
  const { kind, value, version, canCome } = line
  if (!canCome)
    return (
      <EmptyState
        title={`${value} is not known here`}
        text="No record has this id, and its publisher is not among the sources. Its vulnerabilities may be known by their CVE ids: search for one, and monitor it before it appears."
      />
    )
  return (
    <EmptyState
      title={`${value} is not known yet`}
      text={
        isSuccess
          ? 'You will monitor it as soon as a source names it. Until then it is listed under Monitoring → Waiting.'
          : `No source ${kind === 'vuln' ? 'has a record of' : 'names a vulnerability of'} it yet. Earshot can monitor ${version === null ? 'it' : `its version ${version}`} for you as soon as one does.`
      }
    >
      {!isSuccess && (
        <WriteButton
          variant="filled"
          size="xs"
          loading={isPending}
          leftSection={<IconEyePlus size={16} aria-hidden />}
          onClick={() => mutate(line)}
        >
          Monitor it when it appears
        </WriteButton>
      )}
    </EmptyState>
  )
}
