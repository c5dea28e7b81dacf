import { Slider, Text } from '@mantine/core'
import { useState } from 'react'
import classes from './search.module.css'

type Props = { label: string; value: number; onChange: (value: number) => void }

export function ScoreSlider({ label, value, onChange }: Props) {
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
