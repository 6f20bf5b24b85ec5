package dev.weir.spring;

import dev.weir.Rejection;
import dev.weir.http.HttpRejection;
import dev.weir.named.Names;
import java.nio.charset.StandardCharsets;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import reactor.core.publisher.Mono;

/**
 * The bean {@code weirRejectionHandler}: a handler of Spring WebFlux that ends with a {@link dev.weir.LimitExceededException} answers with
 * its status and fields. Methods with {@code @ExceptionHandler} come first, and Boot's error page later.
 */
@Configuration(proxyBeanMethods = false)
final class LimitedWebFluxConfiguration {
    @Bean
    static WebExceptionHandler weirRejectionHandler(ObjectProvider<Names> names) {
        return new Handler(new RejectionAnswers(names::getIfUnique));
    }

    /* That of Boot has -1. */
    @Order(-2)
    private record Handler(RejectionAnswers answers) implements WebExceptionHandler {
        @Override
        public Mono<Void> handle(ServerWebExchange exchange, Throwable thrown) {
            ServerHttpResponse response = exchange.getResponse();
            Rejection rejection = response.isCommitted() ? null : RejectionAnswers.find(thrown);
            if (rejection == null) {
                return Mono.error(thrown);
            }
            HttpRejection answer =
                    answers.answer(rejection, exchange.getRequest().getHeaders().getFirst("Accept"));
            exchange.getAttributes().put(HttpRejection.ATTRIBUTE, answer);
            response.setStatusCode(HttpStatusCode.valueOf(answer.status()));
            answer.fields().forEach((name, value) -> response.getHeaders().set(name, value));
            String body = answer.body();
            response.getHeaders().setContentLength(body == null ? 0 : body.length());
            if (body == null) {
                return response.setComplete();
            }
            response.getHeaders().setContentType(MediaType.APPLICATION_PROBLEM_JSON);
            DataBuffer bytes = response.bufferFactory().wrap(body.getBytes(StandardCharsets.US_ASCII));
            return response.writeWith(Mono.just(bytes));
        }
    }
}
