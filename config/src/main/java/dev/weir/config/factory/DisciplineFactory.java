package dev.weir.config.factory;

import dev.weir.queue.discipline.DisciplineSpec;

/** Gives a discipline of queues a name in documents. */
public interface DisciplineFactory extends Factory<DisciplineSpec> {}
