package dev.weir.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.LimitExceededException;
import dev.weir.algorithms.Semaphore;
import dev.weir.keyed.Keyed;
import dev.weir.named.Names;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import kotlin.ResultKt;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.CoroutineContext;
import kotlin.coroutines.EmptyCoroutineContext;
import kotlin.coroutines.intrinsics.IntrinsicsKt;
import kotlinx.coroutines.flow.Flow;
import kotlinx.coroutines.reactive.ReactiveFlowKt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Flux;

/** Limited functions of Kotlin, which the nightly build compiles. They hold a permit until they end, and block no thread. */
@Tag("nightly")
class SuspendingFunctionsTest {
    private final Names names = Names.builder().executor(Runnable::run).build();
    private final AnnotationConfigApplicationContext app = new AnnotationConfigApplicationContext();
    private Object shop;

    @Configuration(proxyBeanMethods = false)
    @EnableLimited
    static class Application {}

    @BeforeEach
    void open() throws Exception {
        names.limiter("by-user", Keyed.of(new Semaphore(1), 100));
        names.limiter("checkout", new Semaphore(1));
        app.registerBean("names", Names.class, () -> names);
        app.register(Application.class, Class.forName("dev.weir.spring.SuspendingShop"));
        app.refresh();
        shop = app.getBean("suspendingShop");
    }

    @AfterEach
    void close() {
        app.close();
        names.close();
    }

    /** What resumes when a suspending function has ended. */
    private static final class Resumed implements Continuation<Object> {
        private final CompletableFuture<Object> end = new CompletableFuture<>();

        @Override
        public CoroutineContext getContext() {
            return EmptyCoroutineContext.INSTANCE;
        }

        @Override
        public void resumeWith(Object result) {
            try {
                ResultKt.throwOnFailure(result);
                end.complete(result);
            } catch (Throwable t) {
                end.completeExceptionally(t);
            }
        }
    }

    private Method method(String name) {
        return Stream.of(shop.getClass().getMethods())
                .filter(each -> each.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private CompletableFuture<Object> sell(String user, CompletableFuture<String> until) throws Exception {
        Resumed resumed = new Resumed();
        try {
            Object result = method("sell").invoke(shop, user, until, resumed);
            if (result != IntrinsicsKt.getCOROUTINE_SUSPENDED()) {
                resumed.end.complete(result);
            }
        } catch (InvocationTargetException e) {
            resumed.end.completeExceptionally(e.getCause());
        }
        return resumed.end;
    }

    @Test
    void aSuspendingFunctionHoldsItsPermitUntilItEnds() throws Exception {
        CompletableFuture<String> until = new CompletableFuture<>();
        CompletableFuture<Object> sold = sell("ann", until);
        assertEquals(1, names.limiter("by-user").snapshot().inFlight());
        CompletableFuture<Object> refused = sell("ann", until);
        assertInstanceOf(
                LimitExceededException.class,
                assertThrows(ExecutionException.class, refused::get).getCause());
        CompletableFuture<Object> other = sell("bob", until);

        until.complete("tea");
        assertEquals("ann has tea", sold.get());
        assertEquals("bob has tea", other.get());
        assertEquals(0, names.limiter("by-user").snapshot().inFlight());
    }

    @Test
    void aFailureOfASuspendingFunctionPassesAndReleasesThePermit() throws Exception {
        CompletableFuture<Object> sold =
                sell("ann", CompletableFuture.failedFuture(new IllegalStateException("out of tea")));
        assertEquals(
                "out of tea",
                assertThrows(ExecutionException.class, sold::get).getCause().getMessage());
        assertEquals(0, names.limiter("by-user").snapshot().inFlight());
    }

    @Test
    void aFlowHoldsAPermitWhileItIsCollected() throws Exception {
        CompletableFuture<String> until = new CompletableFuture<>();
        @SuppressWarnings("unchecked")
        Flow<String> flow = (Flow<String>) method("list").invoke(shop, until);
        Flux<String> flux = Flux.from(ReactiveFlowKt.asPublisher(flow));
        assertEquals(0, names.limiter("checkout").snapshot().inFlight());
        CompletableFuture<List<String>> all = flux.collectList().toFuture();
        assertEquals(1, names.limiter("checkout").snapshot().inFlight());
        until.complete("second");
        assertEquals(List.of("first", "second"), all.get());
        assertEquals(0, names.limiter("checkout").snapshot().inFlight());
    }
}
