"""What labs share: timing, models, ceilings, the event emitter."""
