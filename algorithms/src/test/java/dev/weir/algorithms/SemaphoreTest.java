package dev.weir.algorithms;

import dev.weir.spi.StrategySpec;
import dev.weir.testkit.StrategyContract;

class SemaphoreTest extends StrategyContract {
    @Override
    protected StrategySpec spec(long limit) {
        return new Semaphore(limit);
    }
}
