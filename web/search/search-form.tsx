import { Button, Collapse, Group, Slider, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconChevronDown, IconChevronRight, IconSearch } from '@tabler/icons-react'
import { useState, type SubmitEvent } from 'react'
import { FilterPills } from '../vulns/list/filter-pills'
import { QueryBar } from '../vulns/list/query-bar'
import type { SearchFilters, SearchFiltersInput } from './queries'
import { SubmitButton } from '../ui/form'
import classes from './search.module.css'

type Props = {
  term: string
  isAdvanced: boolean
  filters: SearchFilters
  onChange: (patch: SearchFiltersInput) => void
  onSearch: (term: string) => void
}

const [lowest, highest] = [0, 100]

export function SearchForm({ term, isAdvanced, filters, onChange, onSearch }: Props) {
  const { score__gte: from = lowest, score__lte: to = highest, q } = filters
  const [isOpen, { toggle }] = useDisclosure(isAdvanced || q !== undefined)
  const Icon = isOpen ? IconChevronDown : IconChevronRight
  const search = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    onSearch(String(new FormData(event.currentTarget).get('term')).trim())
  }
  return (
    <Stack>
      <form role="search" onSubmit={search} aria-label="Search">
        <Group wrap="nowrap">
          <TextInput
            key={term}
            name="term"
            type="search"
            aria-label="Text"
            placeholder="Words, CVE or PH id, CPE, purl…"
            leftSection={<IconSearch size={16} aria-hidden />}
            defaultValue={term}
            maxLength={200}
            flex={1}
            autoFocus={term === ''}
          />
          <SubmitButton>Search</SubmitButton>
        </Group>
      </form>
      <Group gap="xl">
        <ScoreSlider
          label="Minimum score"
          value={from}
          onChange={(score) => onChange({ score__gte: score > lowest ? score : undefined })}
        />
        <ScoreSlider
          label="Maximum score"
          value={to}
          onChange={(score) => onChange({ score__lte: score < highest ? score : undefined })}
        />
        <Button
          variant="subtle"
          size="compact-sm"
          aria-expanded={isOpen}
          leftSection={<Icon size={16} aria-hidden />}
          onClick={toggle}
        >
          Advanced filters
        </Button>
      </Group>
      <Collapse expanded={isOpen}>
        <Stack gap="xs">
          {/* In a column its width would be a height. */}
          <Group>
            <QueryBar text={q} label="Query" onSearch={(next) => onChange({ q: next })} />
          </Group>
          <FilterPills filters={{ q }} onChange={({ q: next }) => onChange({ q: next })} />
        </Stack>
      </Collapse>
    </Stack>
  )
}

type ScoreSliderProps = { label: string; value: number; onChange: (value: number) => void }

function ScoreSlider({ label, value, onChange }: ScoreSliderProps) {
  const [dragged, setDragged] = useState<number>()
  const apply = (score: number) => {
    setDragged(undefined)
    onChange(score)
  }
  return (
    <div className={classes.slider}>
      <Text size="sm" className={classes.sliderLabel}>
        {label} {dragged ?? value}
      </Text>
      <Slider
        size="sm"
        min={0}
        max={100}
        step={5}
        label={null}
        thumbSize={20}
        thumbLabel={label}
        value={dragged ?? value}
        onChange={setDragged}
        onChangeEnd={apply}
      />
    </div>
  )
}
