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
import jakarta.servlet.ServletException;
import java.lang.reflect.UndeclaredThrowableException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.mock.web.MockServletContext;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.MvcResult;
import org.springframework.test.web.servlet.request.MockMvcRequestBuilders;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.support.AnnotationConfigWebApplicationContext;
import org.springframework.web.reactive.config.EnableWebFlux;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;

/** A refusal that a controller throws is answered with its status and fields. */
class RefusalsTest {
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

    private static MvcResult get(MockMvc mvc, String path, String accept) throws Exception {
        return mvc.perform(MockMvcRequestBuilders.get(path).header("Accept", accept))
                .andReturn();
    }

    @Test
    void aControllerOfMvcAnswersWithStatusAndFields() throws Exception {
        try (var context = mvc(Shop.class)) {
            MockMvc mvc = MockMvcBuilders.webAppContextSetup(context).build();
            assertEquals("sold", get(mvc, "/quota", "*/*").getResponse().getContentAsString());

            MvcResult result = get(mvc, "/quota", "*/*");
            MockHttpServletResponse refused = result.getResponse();
            assertEquals(429, refused.getStatus());
            assertEquals("\"quota\";q=1;w=3600", refused.getHeader("RateLimit-Policy"));
            assertNotNull(refused.getHeader("RateLimit"));
            assertNotNull(refused.getHeader("Retry-After"));
            assertEquals("", refused.getContentAsString());
            assertNotNull(result.getRequest().getAttribute(REFUSED));

            MockHttpServletResponse problem =
                    get(mvc, "/quota", "application/problem+json, */*").getResponse();
            assertEquals("application/problem+json", problem.getContentType().replaceFirst(";.*", ""));
            assertEquals(
                    "{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\"",
                    problem.getContentAsString().replaceFirst(",.*", ""));
        }
    }

    @Test
    void aRefusedStageOfMvcIsAnsweredToo() throws Exception {
        try (var context = mvc(Shop.class)) {
            MockMvc mvc = MockMvcBuilders.webAppContextSetup(context).build();
            Permit held = (Permit) names.limiter("busy").tryAcquire();
            MvcResult started = get(mvc, "/busy", "*/*");
            MockHttpServletResponse refused = mvc.perform(MockMvcRequestBuilders.asyncDispatch(started))
                    .andReturn()
                    .getResponse();
            assertEquals(503, refused.getStatus());
            assertEquals("\"busy\";q=1;qu=\"concurrent-requests\"", refused.getHeader("RateLimit-Policy"));
            held.close();
        }
    }

    @Test
    void refusalsOfOtherLimitsAreFoundInWrappersOfOthersOnly() throws Exception {
        try (var context = mvc(Shop.class)) {
            MockMvc mvc = MockMvcBuilders.webAppContextSetup(context).build();
            for (String as : new String[] {"itself", "completion", "servlet"}) {
                MockHttpServletResponse refused =
                        get(mvc, "/thrown?as=" + as, "*/*").getResponse();
                assertEquals(429, refused.getStatus(), as);
                assertEquals("\"of another library\";q=7", refused.getHeader("RateLimit-Policy"), as);
            }
            Throwable thrown = assertThrows(ServletException.class, () -> get(mvc, "/thrown?as=own", "*/*"));
            assertInstanceOf(IllegalStateException.class, thrown.getCause());
        }
    }

    @Test
    void aHandlerOfTheApplicationComesFirst() throws Exception {
        try (var context = mvc(WithItsOwnAnswer.class)) {
            MockMvc mvc = MockMvcBuilders.webAppContextSetup(context).build();
            MvcResult result = get(mvc, "/thrown?as=itself", "*/*");
            assertEquals("own answer", result.getResponse().getContentAsString());
            assertNull(result.getRequest().getAttribute(REFUSED));
        }
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
            Permit held = (Permit) names.limiter("busy").tryAcquire();
            WebTestClient client =
                    WebTestClient.bindToApplicationContext(context).build();
            client.get().uri("/quota").exchange().expectStatus().isOk();
            client.get()
                    .uri("/quota")
                    .exchange()
                    .expectStatus()
                    .isEqualTo(429)
                    .expectHeader()
                    .valueEquals("RateLimit-Policy", "\"quota\";q=1;w=3600")
                    .expectHeader()
                    .exists("Retry-After")
                    .expectBody()
                    .isEmpty();
            client.get()
                    .uri("/busy")
                    .header("Accept", "application/problem+json")
                    .exchange()
                    .expectStatus()
                    .isEqualTo(503)
                    .expectHeader()
                    .contentType("application/problem+json");
            client.get().uri("/thrown?as=completion").exchange().expectStatus().isEqualTo(429);
            client.get().uri("/thrown?as=own").exchange().expectStatus().isEqualTo(500);
            held.close();
        }
    }
}
