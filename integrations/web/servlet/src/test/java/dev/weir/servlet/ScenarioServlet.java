package dev.weir.servlet;

import dev.weir.LimitExceededException;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.testkit.EdgeContract.Hold;
import dev.weir.testkit.EdgeContract.Scenario;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;

/** The work of the scenarios of the contract. The path is the name of one. */
final class ScenarioServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;
    private static final int PARTS = 20;
    /* Tomcat 11 may tell nothing else after another thread has dispatched an answer whose client is gone. */
    private static final long TIME_OUT_MILLIS = 5_000;
    private static final byte[] PART = new byte[1024];

    static {
        Arrays.fill(PART, (byte) 'x');
    }

    private final transient Hold hold;
    /* Jetty does not tell of what could not be written by HTTP/1.1. */
    private transient boolean containerTells;
    private final transient AtomicInteger streams = new AtomicInteger();
    private final transient ExecutorService threads = Executors.newCachedThreadPool();

    ScenarioServlet(Hold hold) {
        this.hold = hold;
    }

    @Override
    public void init() {
        containerTells = !getServletContext().getServerInfo().startsWith("jetty");
    }

    @Override
    public void destroy() {
        threads.shutdown();
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        if (request.getDispatcherType() == DispatcherType.ASYNC) {
            throw new IllegalStateException("of the test");
        }
        String path = request.getPathInfo();
        if (path.equals(ServletContract.EXEMPT)) {
            return;
        }
        Scenario scenario = Scenario.valueOf(path.substring(1));
        switch (scenario) {
            case ASYNC -> later(started(request), async -> part(async.getResponse()), true);
            case ASYNC_EXCEPTION -> later(started(request), AsyncContext::dispatch, false);
            case ASYNC_TIME_OUT -> request.startAsync().setTimeout(50);
            case ASYNC_THEN_EXCEPTION -> {
                request.startAsync();
                hold.await();
                throw new IllegalStateException("of the test");
            }
            case STREAM -> stream(request.startAsync());
            case STREAM_EXCEPTION -> {
                AsyncContext async = started(request);
                part(response);
                later(async, AsyncContext::dispatch, false);
            }
            case COMMITTED_THEN_EXCEPTION -> {
                part(response);
                hold.await();
                throw new IllegalStateException("of the test");
            }
            default -> {
                hold.await();
                work(scenario, response);
            }
        }
    }

    private static AsyncContext started(HttpServletRequest request) {
        AsyncContext async = request.startAsync();
        async.setTimeout(TIME_OUT_MILLIS);
        return async;
    }

    private static void work(Scenario scenario, HttpServletResponse response) throws IOException, ServletException {
        switch (scenario) {
            case SUCCESS -> part(response);
            case EXCEPTION -> throw new IllegalStateException("of the test");
            case ERROR -> throw new AssertionError("of the test");
            case TIME_OUT -> throw new ServletException(new TimeoutException("of the test"));
            case INNER_REJECTION ->
                throw new ServletException(
                        new LimitExceededException(new Rejection("inner", Reason.CONCURRENCY, 0, 1)));
            case UNAVAILABLE -> response.setStatus(503);
            case ERROR_DISPATCH -> response.sendError(500);
            default -> throw new AssertionError(scenario);
        }
    }

    private interface Step {
        void run(AsyncContext async) throws IOException;
    }

    private void later(AsyncContext async, Step step, boolean completes) {
        Answer answer = new Answer(async, false);
        threads.execute(() -> {
            hold.await();
            answer.run(step);
            if (completes) {
                answer.complete();
            }
        });
    }

    /*
     * There is no time-out: only what an abort brings about can end a stream. Of every second stream the thread that was called
     * returns late, as any thread may: when the client has most of it, or is gone. Where the container tells of errors, two of four
     * streams that cannot write do nothing else, and are dispatched when it tells, as those of Spring MVC are.
     */
    private void stream(AsyncContext async) {
        async.setTimeout(0);
        int number = streams.incrementAndGet();
        boolean returnsLate = number % 2 == 0 && hold.opened().isDone();
        CountDownLatch most = new CountDownLatch(returnsLate ? PARTS - 2 : 0);
        boolean isTold = number % 4 < 2 && containerTells;
        Answer answer = new Answer(async, isTold);
        threads.execute(() -> {
            int written = 0;
            while (written < PARTS && answer.run(each -> part(each.getResponse()))) {
                if (written++ == 0) {
                    hold.await();
                }
                most.countDown();
            }
            if (written == PARTS || !isTold) {
                answer.complete();
            }
            LongStream.range(0, PARTS).forEach(each -> most.countDown());
        });
        try {
            most.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /*
     * It never writes while the container handles an error of it: Tomcat would give what fails to the next request of the same
     * object, whose client is there. What is ended already throws what it likes, as a NullPointerException.
     */
    private final class Answer implements AsyncListener {
        private final AsyncContext async;
        private final boolean isTold;
        private boolean isGone;

        Answer(AsyncContext async, boolean isTold) {
            this.async = async;
            this.isTold = isTold;
            if (containerTells) {
                async.addListener(this);
            }
        }

        /** Whether there still is a client. */
        synchronized boolean run(Step step) {
            try {
                if (!isGone) {
                    step.run(async);
                }
            } catch (IOException | RuntimeException gone) {
                isGone = true;
            }
            return !isGone;
        }

        synchronized void complete() {
            try {
                async.complete();
            } catch (RuntimeException told) {
                // The container has told of an error, and ends it.
            }
        }

        @Override
        public synchronized void onError(AsyncEvent event) {
            isGone = true;
            if (isTold) {
                event.getAsyncContext().dispatch();
            }
        }

        @Override
        public void onComplete(AsyncEvent event) {}

        @Override
        public void onTimeout(AsyncEvent event) {}

        @Override
        public void onStartAsync(AsyncEvent event) {}
    }

    private static void part(ServletResponse response) throws IOException {
        response.getOutputStream().write(PART);
        response.flushBuffer();
    }
}
