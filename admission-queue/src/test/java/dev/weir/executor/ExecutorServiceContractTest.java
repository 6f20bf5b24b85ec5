package dev.weir.executor;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.testkit.Oracle;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** The executors of this package, as the JDK's. */
class ExecutorServiceContractTest {
    abstract static class Limited extends ExecutorServiceContract {
        final ManagedLimiter limiter = Limiters.of("tasks", new Semaphore(AT_ONCE));
        final AdmissionQueue queue = AdmissionQueue.before(limiter, QueueSpec.of(100));
        final ExecutorService pool = pool();

        abstract ExecutorService pool();

        @Override
        ExecutorService create() {
            return LimitedExecutor.of(pool, queue);
        }

        @Override
        void checkAfterwards() throws InterruptedException {
            pool.shutdown();
            assertTrue(pool.awaitTermination(2, TimeUnit.MINUTES));
            Oracle.assertCapacity(AT_ONCE, limiter);
        }
    }

    @Nested
    class OverAThreadPool extends Limited {
        @Override
        ExecutorService pool() {
            return Executors.newFixedThreadPool(AT_ONCE);
        }
    }

    @Nested
    class OverAPoolThatGrows extends Limited {
        @Override
        ExecutorService pool() {
            return Executors.newCachedThreadPool();
        }
    }

    @Nested
    class OverAForkJoinPool extends Limited {
        @Override
        ExecutorService pool() {
            return new ForkJoinPool(4);
        }
    }

    /** Its workers wait for the permits of their tasks. */
    @Nested
    class OverAnUnknownExecutor extends Limited {
        @Override
        ExecutorService pool() {
            return Executors.newFixedThreadPool(AT_ONCE + 1);
        }

        @Override
        ExecutorService create() {
            return LimitedExecutor.of(pool::execute, queue);
        }
    }

    @Nested
    class OverAnUnknownExecutorThatCapturesNothing extends Limited {
        @Override
        ExecutorService pool() {
            return Executors.newFixedThreadPool(AT_ONCE);
        }

        @Override
        ExecutorService create() {
            return LimitedExecutor.builder(pool::execute, queue)
                    .capturingNothing()
                    .build();
        }
    }

    @Nested
    class Owning extends Limited {
        @Override
        ExecutorService pool() {
            return ResizableThreadPool.fixed(AT_ONCE, 10);
        }

        @Override
        ExecutorService create() {
            return LimitedExecutor.builder(pool, queue).owningDelegate().build();
        }
    }

    @Nested
    @Tag("newer")
    @EnabledForJreRange(min = JRE.JAVA_21)
    class OverVirtualThreads extends Limited {
        @Override
        ExecutorService pool() {
            try {
                return (ExecutorService) Executors.class
                        .getMethod("newVirtualThreadPerTaskExecutor")
                        .invoke(null);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Nested
    class Resizable extends ExecutorServiceContract {
        @Override
        ExecutorService create() {
            return ResizableThreadPool.fixed(AT_ONCE, 100);
        }

        @Override
        void checkNeverRun(List<Future<String>> returned) {
            assertTrue(returned.stream().noneMatch(Future::isDone));
        }
    }
}
