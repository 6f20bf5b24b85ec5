package dev.weir.servlet;

import dev.weir.LimitExceededException;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.testkit.EdgeContract.Hold;
import dev.weir.testkit.EdgeContract.Scenario;
import jakarta.servlet.AsyncContext;
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
    private static final long STREAM_MILLIS = 2_000;
    private static final byte[] PART = new byte[1024];

    static {
        Arrays.fill(PART, (byte) 'x');
    }

    private final transient Hold hold;
    private final transient AtomicInteger streams = new AtomicInteger();
    private final transient ExecutorService threads = Executors.newCachedThreadPool();

    ScenarioServlet(Hold hold) {
        this.hold = hold;
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
            case ASYNC -> later(request.startAsync(), async -> part(async.getResponse()), true);
            case ASYNC_EXCEPTION -> later(request.startAsync(), AsyncContext::dispatch, false);
            case ASYNC_TIME_OUT -> request.startAsync().setTimeout(50);
            case ASYNC_THEN_EXCEPTION -> {
                request.startAsync();
                hold.await();
                throw new IllegalStateException("of the test");
            }
            case STREAM -> stream(request.startAsync());
            case STREAM_EXCEPTION -> {
                AsyncContext async = request.startAsync();
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
        threads.execute(() -> {
            hold.await();
            run(async, step);
            if (completes) {
                async.complete();
            }
        });
    }

    /*
     * One that cannot write any more does nothing else: the container has to tell. So do the emitters of Spring. Of every second
     * stream the thread that was called returns late, as any thread may: when the client has most of it, or is gone.
     */
    private void stream(AsyncContext async) {
        async.setTimeout(
                STREAM_MILLIS); // Tomcat tells of some that were aborted before the thread has returned by it alone
        boolean returnsLate =
                streams.incrementAndGet() % 2 == 0 && hold.opened().isDone();
        CountDownLatch most = new CountDownLatch(returnsLate ? PARTS - 2 : 0);
        threads.execute(() -> {
            int written = 0;
            while (written < PARTS && run(async, each -> part(each.getResponse()))) {
                if (written++ == 0) {
                    hold.await();
                }
                most.countDown();
            }
            if (written == PARTS) {
                async.complete();
            }
            LongStream.range(0, PARTS).forEach(each -> most.countDown());
        });
        try {
            most.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Whether there still is a client. */
    private static boolean run(AsyncContext async, Step step) {
        try {
            step.run(async);
            return true;
        } catch (IOException | IllegalStateException gone) {
            return false;
        }
    }

    private static void part(ServletResponse response) throws IOException {
        response.getOutputStream().write(PART);
        response.flushBuffer();
    }
}
