package dev.weir.spring.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.LimitExceededException;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.Semaphore;
import dev.weir.named.Names;
import dev.weir.spring.EnableLimited;
import dev.weir.spring.Limited;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.http.server.reactive.MockServerHttpResponse;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.mock.web.MockServletConfig;
import org.springframework.mock.web.MockServletContext;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.support.AnnotationConfigWebApplicationContext;
import org.springframework.web.reactive.config.EnableWebFlux;
import org.springframework.web.server.adapter.WebHttpHandlerBuilder;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;

/** A rejection that a controller throws is answered with its status and fields. */
class RejectedByControllersTest {
    private static final String REFUSED = "dev.weir.http.refused";

    private final Names names = Names.builder().executor(Runnable::run).build();

    @AfterEach
    void close() {
        names.close();
    }

    @RestController
    static class Shop {
        @Limited("quota")
        @GetMapping("/quota")
        public String quota() {
            return "sold";
        }

        @Limited("busy")
        @GetMapping("/busy")
        public CompletableFuture<String> busy() {
            return CompletableFuture.completedFuture("sold");
        }

        @GetMapping("/begun")
        public void begun(HttpServletResponse response) throws IOException {
            response.setContentLength(1000);
            response.getOutputStream().print("half");
            throw new LimitExceededException(new Rejection("quota", Reason.RATE, 0, 1));
        }

        @GetMapping("/thrown")
        public String thrown(@RequestParam("as") String as) throws Exception {
            LimitExceededException refused =
                    new LimitExceededException(new Rejection("of another library", Reason.RATE, 1_500_000_000, 7));
            throw switch (as) {
                case "completion" -> new CompletionException(refused);
                case "servlet" -> new ServletException(new UndeclaredThrowableException(refused));
                case "own" -> new IllegalStateException(refused);
                default -> refused;
            };
        }
    }

    @EnableWebMvc
    @EnableLimited
    @Configuration(proxyBeanMethods = false)
    static class Mvc {}

    @EnableWebFlux
    @EnableLimited
    @Configuration(proxyBeanMethods = false)
    static class Flux {}

    @RestController
    static class WithItsOwnAnswer extends Shop {
        @ExceptionHandler
        public String refused(LimitExceededException refused) {
            return "own answer";
        }
    }

    /** A request and its answer. */
    private record Exchange(MockHttpServletRequest request, MockHttpServletResponse response) {
        Exchange(String path, String accept) {
            this(new MockHttpServletRequest("GET", path), new MockHttpServletResponse());
            request.addHeader("Accept", accept);
            request.setAsyncSupported(true);
        }

        Exchange by(DispatcherServlet servlet) throws Exception {
            servlet.service(request, response);
            if (request.isAsyncStarted()) {
                request.setAsyncStarted(false);
                request.setDispatcherType(DispatcherType.ASYNC);
                servlet.service(request, response);
            }
            return this;
        }
    }

    private static DispatcherServlet started(AnnotationConfigWebApplicationContext context) throws ServletException {
        DispatcherServlet servlet = new DispatcherServlet(context);
        servlet.init(new MockServletConfig(context.getServletContext(), "shop"));
        return servlet;
    }

    private AnnotationConfigWebApplicationContext mvc(Class<?> controller) {
        names.limiter("quota", FixedWindow.of(1, Duration.ofHours(1)));
        names.limiter("busy", new Semaphore(1));
        AnnotationConfigWebApplicationContext context = new AnnotationConfigWebApplicationContext();
        context.setServletContext(new MockServletContext());
        context.addBeanFactoryPostProcessor(beans -> beans.registerSingleton("names", names));
        context.register(Mvc.class, controller);
        context.refresh();
        return context;
    }

    @Test
    void aControllerOfMvcAnswersWithStatusAndFields() throws Exception {
        try (var context = mvc(Shop.class)) {
            DispatcherServlet servlet = started(context);
            assertEquals(
                    "sold", new Exchange("/quota", "*/*").by(servlet).response().getContentAsString());

            Exchange exchange = new Exchange("/quota", "*/*").by(servlet);
            MockHttpServletResponse refused = exchange.response();
            assertEquals(429, refused.getStatus());
            assertEquals("\"quota\";q=1;w=3600", refused.getHeader("RateLimit-Policy"));
            assertNotNull(refused.getHeader("RateLimit"));
            assertNotNull(refused.getHeader("Retry-After"));
            assertEquals("", refused.getContentAsString());
            assertNotNull(exchange.request().getAttribute(REFUSED));

            MockHttpServletResponse problem = new Exchange("/quota", "application/problem+json, */*")
                    .by(servlet)
                    .response();
            assertEquals("application/problem+json", problem.getContentType().replaceFirst(";.*", ""));
            assertEquals(
                    "{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\"",
                    problem.getContentAsString().replaceFirst(",.*", ""));
        }
    }

    /* What the controller has begun to write is no part of the answer, also not its length. */
    @Test
    void anAnswerThatHasBegunIsReplaced() throws Exception {
        try (var context = mvc(Shop.class)) {
            DispatcherServlet servlet = started(context);
            MockHttpServletResponse bare =
                    new Exchange("/begun", "*/*").by(servlet).response();
            assertEquals(429, bare.getStatus());
            assertEquals("", bare.getContentAsString());
            assertEquals(0, bare.getContentLength());
            MockHttpServletResponse problem = new Exchange("/begun", "application/problem+json")
                    .by(servlet)
                    .response();
            assertEquals('{', problem.getContentAsString().charAt(0));
            assertEquals(problem.getContentAsString().length(), problem.getContentLength());
        }
    }

    @Test
    void aRefusedStageOfMvcIsAnsweredToo() throws Exception {
        try (var context = mvc(Shop.class)) {
            DispatcherServlet servlet = started(context);
            Permit held = (Permit) names.limiter("busy").tryAcquire();
            MockHttpServletResponse refused =
                    new Exchange("/busy", "*/*").by(servlet).response();
            assertEquals(503, refused.getStatus());
            assertEquals("\"busy\";q=1;qu=\"concurrent-requests\"", refused.getHeader("RateLimit-Policy"));
            held.close();
            assertEquals(
                    "sold", new Exchange("/busy", "*/*").by(servlet).response().getContentAsString());
        }
    }

    @Test
    void refusalsOfOtherLimitsAreFoundInWrappersOfOthersOnly() throws Exception {
        try (var context = mvc(Shop.class)) {
            DispatcherServlet servlet = started(context);
            for (String as : new String[] {"itself", "completion", "servlet"}) {
                Exchange exchange = new Exchange("/thrown", "*/*");
                exchange.request().setParameter("as", as);
                MockHttpServletResponse refused = exchange.by(servlet).response();
                assertEquals(429, refused.getStatus(), as);
                assertEquals("\"of another library\";q=7", refused.getHeader("RateLimit-Policy"), as);
            }
            Exchange exchange = new Exchange("/thrown", "*/*");
            exchange.request().setParameter("as", "own");
            Throwable thrown = assertThrows(ServletException.class, () -> exchange.by(servlet));
            assertInstanceOf(IllegalStateException.class, thrown.getCause());
        }
    }

    @Test
    void aHandlerOfTheApplicationComesFirst() throws Exception {
        try (var context = mvc(WithItsOwnAnswer.class)) {
            Exchange exchange = new Exchange("/thrown", "*/*");
            exchange.request().setParameter("as", "itself");
            assertEquals("own answer", exchange.by(started(context)).response().getContentAsString());
            assertNull(exchange.request().getAttribute(REFUSED));
        }
    }

    private static MockServerHttpResponse answer(HttpHandler handler, String path, String accept) {
        MockServerHttpResponse response = new MockServerHttpResponse();
        handler.handle(MockServerHttpRequest.get(path).header("Accept", accept).build(), response)
                .block();
        return response;
    }

    @Test
    void aHandlerOfWebFluxAnswersWithStatusAndFields() {
        names.limiter("quota", FixedWindow.of(1, Duration.ofHours(1)));
        names.limiter("busy", new Semaphore(1));
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.registerBean("names", Names.class, () -> names);
        context.register(Flux.class, Shop.class);
        context.refresh();
        try (context) {
            HttpHandler handler =
                    WebHttpHandlerBuilder.applicationContext(context).build();
            Permit held = (Permit) names.limiter("busy").tryAcquire();
            assertEquals(
                    "sold", answer(handler, "/quota", "*/*").getBodyAsString().block());
            MockServerHttpResponse refused = answer(handler, "/quota", "*/*");
            assertEquals(429, refused.getStatusCode().value());
            assertEquals("\"quota\";q=1;w=3600", refused.getHeaders().getFirst("RateLimit-Policy"));
            assertNotNull(refused.getHeaders().getFirst("Retry-After"));
            assertEquals("", refused.getBodyAsString().block());

            MockServerHttpResponse problem = answer(handler, "/busy", "application/problem+json");
            assertEquals(503, problem.getStatusCode().value());
            assertEquals("application/problem+json", problem.getHeaders().getFirst("Content-Type"));
            assertEquals(
                    429,
                    answer(handler, "/thrown?as=completion", "*/*")
                            .getStatusCode()
                            .value());
            assertEquals(
                    500,
                    answer(handler, "/thrown?as=own", "*/*").getStatusCode().value());
            held.close();
        }
    }
}
