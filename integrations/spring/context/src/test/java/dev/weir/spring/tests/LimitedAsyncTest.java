package dev.weir.spring.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.LimitExceededException;
import dev.weir.Permit;
import dev.weir.algorithms.Semaphore;
import dev.weir.named.Names;
import dev.weir.spring.Limited;
import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.interceptor.AsyncUncaughtExceptionHandler;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.AsyncConfigurer;
import org.springframework.scheduling.annotation.EnableAsync;

/** A limited method that is {@code @Async} holds its permit while its work runs, whichever of the two was enabled first. */
class LimitedAsyncTest {
    private final Names names = Names.builder().build();

    @AfterEach
    void close() {
        names.close();
    }

    /** The tasks run when the test says so. */
    @EnableAsync
    static class Tasks implements AsyncConfigurer {
        private static final Queue<Runnable> QUEUE = new ArrayDeque<>();
        private static final List<Throwable> UNCAUGHT = new ArrayList<>();

        @Override
        public Executor getAsyncExecutor() {
            return QUEUE::add;
        }

        @Override
        public AsyncUncaughtExceptionHandler getAsyncUncaughtExceptionHandler() {
            return (Throwable thrown, Method method, Object... arguments) -> UNCAUGHT.add(thrown);
        }

        static void runNext() {
            QUEUE.remove().run();
        }
    }

    @EnableAsync(order = 7)
    static class EarlyTasks extends Tasks {}

    static class Mail {
        private final Names names;
        private final List<Long> seen = new ArrayList<>();

        Mail(Names names) {
            this.names = names;
        }

        @Async
        @Limited("mail")
        void send() {
            seen.add(names.limiter("mail").snapshot().inFlight());
        }

        @Async
        @Limited("mail")
        CompletableFuture<Long> sendAndTell(CompletableFuture<Void> sent) {
            return sent.thenApply(done -> names.limiter("mail").snapshot().inFlight());
        }

        List<Long> seen() {
            return seen;
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {Tasks.class, EarlyTasks.class})
    void thePermitIsHeldByTheWorkAndNotByItsPlaceInTheExecutor(Class<?> tasks) {
        names.limiter("mail", new Semaphore(1));
        Tasks.QUEUE.clear();
        Tasks.UNCAUGHT.clear();
        try (var app = Started.with(names, tasks, Mail.class)) {
            Mail mail = app.getBean(Mail.class);
            mail.send();
            assertEquals(0, names.limiter("mail").snapshot().inFlight());
            Tasks.runNext();
            assertEquals(List.of(1L), mail.seen());
            assertEquals(0, names.limiter("mail").snapshot().inFlight());

            mail.send();
            Permit held = (Permit) names.limiter("mail").tryAcquire();
            Tasks.runNext();
            assertInstanceOf(LimitExceededException.class, Tasks.UNCAUGHT.get(0));
            held.close();
            assertEquals(List.of(1L), mail.seen());
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {Tasks.class, EarlyTasks.class})
    void aFutureTellsTheResultOrTheRefusal(Class<?> tasks) throws Exception {
        names.limiter("mail", new Semaphore(1));
        Tasks.QUEUE.clear();
        try (var app = Started.with(names, tasks, Mail.class)) {
            Mail mail = app.getBean(Mail.class);
            CompletableFuture<Long> told = mail.sendAndTell(CompletableFuture.completedFuture(null));
            Tasks.runNext();
            assertEquals(1, told.get());
            assertEquals(0, names.limiter("mail").snapshot().inFlight());

            Permit held = (Permit) names.limiter("mail").tryAcquire();
            CompletableFuture<Long> refused = mail.sendAndTell(CompletableFuture.completedFuture(null));
            Tasks.runNext();
            assertInstanceOf(
                    LimitExceededException.class,
                    assertThrows(ExecutionException.class, refused::get).getCause());
            held.close();
        }
    }
}
