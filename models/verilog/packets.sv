// Packed structures and an enumeration, in a package: a packet goes through two stages, which keep its fields and add up
// its hops.
package packet_pkg;
    typedef enum logic [1:0] { IDLE, DATA, ACK } kind_t;
    typedef struct packed {
        kind_t      kind;
        logic [3:0] hops;
        logic [7:0] payload;
    } packet_t;
endpackage

module packets (
    input logic       clk,
    input logic [1:0] kind,
    input logic [7:0] payload
);
    packet_pkg::packet_t first = '0, second = '0;

    always_ff @(posedge clk) begin
        first.kind <= kind == 2'd3 ? packet_pkg::IDLE : kind;
        first.hops <= 0;
        first.payload <= payload;
        second <= first;
        second.hops <= first.hops + 1;
        if (first.kind == packet_pkg::IDLE)
            second.payload <= 0;
    end

`ifdef FORMAL
    always_comb begin
        kind_is_known: assert (second.kind != 2'd3);
        one_hop: assert (second.hops <= 1);
        idle_is_empty: assert (second.kind != packet_pkg::IDLE || second.payload == 0);
        ack_is_empty: assert (second.kind != packet_pkg::ACK || second.payload == 0);
    end
`endif
endmodule
