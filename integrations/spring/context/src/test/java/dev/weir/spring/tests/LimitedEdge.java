package dev.weir.spring.tests;

import dev.weir.LimitExceededException;
import dev.weir.Limiter;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.LimiterView;
import dev.weir.named.Names;
import dev.weir.named.status.RegistryObserver;
import dev.weir.spi.Registration;
import dev.weir.testkit.EdgeContract;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** The contract of an edge, whose calls are those of a limited method. */
abstract class LimitedEdge extends EdgeContract {
    private static final Set<Scenario> OF_STREAMS = Set.of(
            Scenario.UNAVAILABLE,
            Scenario.ERROR_DISPATCH,
            Scenario.STREAM,
            Scenario.STREAM_EXCEPTION,
            Scenario.COMMITTED_THEN_EXCEPTION);

    final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "edge");
        thread.setDaemon(true);
        return thread;
    });
    private final Names names = Names.builder().executor(Runnable::run).build();
    private final AtomicReference<LimiterView> view = new AtomicReference<>();
    private AnnotationConfigApplicationContext app;

    /** The bean with the limited methods, and others that it needs. */
    abstract Class<?>[] beans();

    @Override
    protected void open() {
        names.limiter("calls", new Semaphore(THREADS + 2));
        Registration unused = names.observe(new RegistryObserver() {
            @Override
            public Registration onLimiter(LimiterView limiter) {
                view.set(limiter);
                return () -> {};
            }
        });
        app = Started.context(names, beans());
        app.registerBean("hold", Hold.class, () -> hold);
        app.registerBean("threads", ExecutorService.class, () -> threads);
        app.refresh();
    }

    <T> T bean(Class<T> type) {
        return app.getBean(type);
    }

    @Override
    protected void close() {
        app.close();
        names.close();
        threads.shutdownNow();
    }

    @Override
    protected Limiter limiter() {
        return names.limiter("calls");
    }

    @Override
    protected LimiterView view() {
        return view.get();
    }

    @Override
    protected boolean supports(Scenario scenario) {
        return !OF_STREAMS.contains(scenario);
    }

    /** What a method that has been called does at once. */
    static String work(Scenario scenario, Hold hold) throws Exception {
        hold.await();
        switch (scenario) {
            case SUCCESS -> {
                return "done";
            }
            case ERROR -> throw new AssertionError("made up");
            case TIME_OUT -> throw new CompletionException(new TimeoutException("made up"));
            case INNER_REJECTION -> throw new LimitExceededException(new Rejection("inner", Reason.RATE, 0, 1));
            default -> throw new IllegalStateException("made up");
        }
    }

    /** The work of a method that returns a stage. */
    static CompletableFuture<String> stage(Scenario scenario, Hold hold, ExecutorService threads) throws Exception {
        return switch (scenario) {
            case ASYNC -> hold.opened().thenApplyAsync(opened -> "done", threads);
            case ASYNC_EXCEPTION ->
                hold.opened()
                        .thenComposeAsync(
                                opened -> CompletableFuture.failedFuture(new IllegalStateException("made up")),
                                threads);
            case ASYNC_TIME_OUT -> new CompletableFuture<String>().orTimeout(50, TimeUnit.MILLISECONDS);
            default -> CompletableFuture.completedFuture(work(scenario, hold));
        };
    }

    /** Under load, a call that was aborted must not begin later: the next test would count it. */
    static Call begun(Call call, CompletableFuture<?> begun) {
        return new Call() {
            @Override
            public void read(int parts) throws Exception {
                call.read(parts);
            }

            @Override
            public void abort() throws Exception {
                call.abort();
                CompletableFuture<?> ended = begun.handle((value, thrown) -> value);
                ended.join();
            }
        };
    }

    /** A call whose end is that of a future. */
    record Ending(CompletableFuture<?> end) implements Call {
        @Override
        public void read(int parts) {
            if (parts > 0) {
                CompletableFuture<?> ended = end.handle((value, thrown) -> value);
                ended.join();
            }
        }

        @Override
        public void abort() {
            // It does not reach work that runs.
        }
    }
}
