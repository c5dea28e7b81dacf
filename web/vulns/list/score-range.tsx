import { RangeSlider, Text } from '@mantine/core'
import { useState } from 'react'
import type { VulnQuery, VulnQueryInput } from '../../../worker/vulns/contract'
import classes from './score-range.module.css'

const lowest = 0
const highest = 100

type Props = { filters: VulnQuery; onChange: (patch: VulnQueryInput) => void }

export function ScoreRange({ filters, onChange }: Props) {
  const { score__gte: from = lowest, score__lte: to = highest } = filters
  const [dragged, setDragged] = useState<[number, number]>()
  const [low, high] = dragged ?? [from, to]

  // The whole range is no filter: it must not hide unscored vulnerabilities.
  const apply = ([start, end]: [number, number]) => {
    setDragged(undefined)
    onChange({ score__gte: start > lowest ? start : undefined, score__lte: end < highest ? end : undefined })
  }
  return (
    <div className={classes.range}>
      <Text size="sm" className={classes.label}>
        Score {low}–{high}
      </Text>
      <RangeSlider
        size="sm"
        min={lowest}
        max={highest}
        step={5}
        minRange={0}
        label={null}
        thumbSize={20}
        thumbFromLabel="Lowest score"
        thumbToLabel="Highest score"
        value={[low, high]}
        onChange={setDragged}
        onChangeEnd={apply}
      />
    </div>
  )
}
