package dev.weir.config.factory;

import dev.weir.queue.discipline.DisciplineSpec;

/** A factory of a discipline of queues, with its name in documents. */
public interface DisciplineFactory extends Factory<DisciplineSpec> {}
