package dev.weir.spring;

import dev.weir.Rejection;
import dev.weir.http.Refusal;
import dev.weir.named.Names;
import java.nio.charset.StandardCharsets;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import reactor.core.publisher.Mono;

/**
 * The bean {@code weirRefusalHandler}: a handler of Spring WebFlux that ends with a {@link dev.weir.LimitExceededException} answers with
 * its status and fields. Methods with {@code @ExceptionHandler} come first, and Boot's error page later.
 */
@Configuration(proxyBeanMethods = false)
class LimitedWebFluxConfiguration {
    @Bean
    static WebExceptionHandler weirRefusalHandler(ObjectProvider<Names> names) {
        return new Handler(new Refusals(names::getIfUnique));
    }

    private record Handler(Refusals refusals) implements WebExceptionHandler, Ordered {
        /* That of Boot has -1. */
        @Override
        public int getOrder() {
            return -2;
        }

        @Override
        public Mono<Void> handle(ServerWebExchange exchange, Throwable thrown) {
            ServerHttpResponse response = exchange.getResponse();
            Rejection rejection = response.isCommitted() ? null : Refusals.find(thrown);
            if (rejection == null) {
                return Mono.error(thrown);
            }
            Refusal answer = refusals.answer(
                    rejection, exchange.getRequest().getHeaders().getFirst("Accept"));
            exchange.getAttributes().put(Refusals.ATTRIBUTE, answer);
            response.setStatusCode(HttpStatusCode.valueOf(answer.status()));
            answer.fields().forEach((name, value) -> response.getHeaders().set(name, value));
            String body = answer.body();
            if (body == null) {
                return response.setComplete();
            }
            response.getHeaders().setContentType(MediaType.APPLICATION_PROBLEM_JSON);
            DataBuffer bytes = response.bufferFactory().wrap(body.getBytes(StandardCharsets.US_ASCII));
            return response.writeWith(Mono.just(bytes));
        }
    }
}
